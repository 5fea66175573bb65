import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { loadConfig } from '../../src/config.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { describeConfig } from '../../src/setup/describe-config.js';
import { freshPayloadKey } from '../../src/setup/payload-keys.js';

const HOME = { HOME: '/home/ada' }; // no Temporal profile there
const [one, two] = [freshPayloadKey('one'), freshPayloadKey('two')];
const secretOf = (pair: string): string => pair.slice(pair.indexOf(':') + 1);

describe('keys of payload encryption', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-keys-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are none by default, and nothing is encrypted', () => {
    const config = loadConfig(HOME);
    assert.equal(config.payloadKeys, undefined);
    assert.equal(describeConfig(config)['payload encryption'], 'off');
  });

  it('come from the environment or from a file, the newest first', () => {
    const file = join(folder, 'keys');
    writeFileSync(file, `${one}\n${two}\n`);
    for (const env of [{ ENGRAPH_PAYLOAD_KEYS: `${one}, ${two}` }, { ENGRAPH_PAYLOAD_KEYS_FILE: file }]) {
      const config = loadConfig({ ...HOME, ...env });
      assert.deepEqual(
        config.payloadKeys?.map(({ id, secret }) => [id, secret.export().toString('base64')]),
        [
          ['one', secretOf(one)],
          ['two', secretOf(two)],
        ],
      );
      assert.equal(describeConfig(config)['payload encryption'], 'key one encrypts, two decrypt too');
    }
  });

  it('are in nothing that is printed or sent as JSON', () => {
    const config = loadConfig({ ...HOME, ENGRAPH_PAYLOAD_KEYS: one });
    for (const shown of [inspect(config, { depth: 9 }), JSON.stringify(config), JSON.stringify(describeConfig(config))])
      assert.ok(!shown.includes(secretOf(one)) && !shown.includes(Buffer.from(secretOf(one), 'base64').toString('hex')));
  });

  const wrong: readonly [string, Record<string, string>, RegExp][] = [
    ['a key without an id', { ENGRAPH_PAYLOAD_KEYS: secretOf(one) }, /no usable id before the colon of key 1/u],
    ['an id with a space', { ENGRAPH_PAYLOAD_KEYS: `${one},a b:${secretOf(two)}` }, /no usable id before the colon of key 2/u],
    ['a key of 16 bytes', { ENGRAPH_PAYLOAD_KEYS: `k:${Buffer.alloc(16, 7).toString('base64')}` }, /"k".*32 bytes in base64/u],
    ['a key in hex', { ENGRAPH_PAYLOAD_KEYS: `k:${'ab'.repeat(32)}` }, /"k".*32 bytes in base64/u],
    ['an id that comes twice', { ENGRAPH_PAYLOAD_KEYS: `${one},${freshPayloadKey('one')}` }, /key id "one" twice/u],
    ['nothing but commas', { ENGRAPH_PAYLOAD_KEYS: ' , ' }, /holds no key/u],
    ['a file that is not there', { ENGRAPH_PAYLOAD_KEYS_FILE: join(folder, 'none') }, /FILE names .*none.*ENOENT/u],
    ['both at once', { ENGRAPH_PAYLOAD_KEYS: one, ENGRAPH_PAYLOAD_KEYS_FILE: '/x' }, /both set/u],
  ];
  for (const [what, env, says] of wrong) {
    it(`are refused without being shown: ${what}`, () => {
      assert.throws(
        () => loadConfig({ ...HOME, ...env }),
        (error: EngraphError) => {
          assert.equal(error.kind, 'config');
          assert.match(error.message, says);
          assert.match(error.message, /^ENGRAPH_PAYLOAD_KEYS/u);
          for (const value of Object.values(env)) {
            if (value.length > 40 && !value.startsWith('/')) assert.ok(!error.message.includes(value.slice(-20)));
          }
          return true;
        },
      );
    });
  }

  it('are made fresh each time, under an id of one’s own', () => {
    assert.match(freshPayloadKey('2026-12'), /^2026-12:[A-Za-z0-9+/]{43}=$/u);
    assert.notEqual(freshPayloadKey('a'), freshPayloadKey('a'));
    assert.throws(() => freshPayloadKey('a:b'), { kind: 'validation' });
  });
});
