import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { defaultPayloadConverter, type Payload } from '@temporalio/common';

import { EncryptingCodec } from '../src/codec.js';
import { loadConfig } from '../src/config.js';
import { freshPayloadKey, readPayloadKeys } from '../src/setup/payload-keys.js';
import { pythonPackages } from './support/python-packages.js';

const EXAMPLES = fileURLToPath(new URL('../examples/python/', import.meta.url));

/** Decrypts what it is given and encrypts it again, as an agent's worker does around its activity. */
const ROUND = `
import asyncio, base64, sys
from encryption import encrypted
from temporalio.api.common.v1 import Payload

async def main():
    codec = encrypted().payload_codec
    given = Payload(metadata={"encoding": b"binary/encrypted", "encryption-key-id": sys.argv[1].encode()}, data=base64.b64decode(sys.argv[2]))
    [plain] = await codec.decode([given])
    [sealed] = await codec.encode([plain])
    print(plain.data.decode(), sealed.metadata["encryption-key-id"].decode(), base64.b64encode(sealed.data).decode(), sep="|")

asyncio.run(main())
`;

describe('the encryption of the example in Python', function () {
  this.timeout(120_000);

  it('reads what ours wrote and writes what ours reads, by the keys of one setting', async () => {
    const config = loadConfig();
    const path = [EXAMPLES, ...(await pythonPackages(config, ['temporalio', 'cryptography']))].join(delimiter);
    const keys = [freshPayloadKey('new'), freshPayloadKey('old')];
    const older = new EncryptingCodec(readPayloadKeys(keys[1], undefined) ?? assert.fail());
    const [sealed] = await older.encode([defaultPayloadConverter.toPayload('ferret 用户')]);
    const args = ['-c', ROUND, 'old', Buffer.from(sealed?.data ?? []).toString('base64')];
    const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1', ENGRAPH_PAYLOAD_KEYS: keys.join(',') };
    const { stdout } = await promisify(execFile)(config.python, args, { env });
    const [read, id = '', data = ''] = stdout.trim().split('|');
    assert.deepEqual([read, id], ['"ferret 用户"', 'new']);
    const both = new EncryptingCodec(readPayloadKeys(keys.join(','), undefined) ?? assert.fail());
    const metadata = { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from(id) };
    const [back] = await both.decode([{ metadata, data: Buffer.from(data, 'base64') }]);
    assert.equal(defaultPayloadConverter.fromPayload(back as Payload), 'ferret 用户');
  });
});
