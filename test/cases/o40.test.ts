import assert from 'node:assert/strict';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { qdrantAddress } from '../../src/adapters/qdrant-address.js';
import { loadConfig } from '../../src/config.js';
import { EngraphError } from '../../src/domain/failure.js';
import { describeConfig } from '../../src/setup/describe-config.js';
import { EMBEDDING, point, writes } from '../support/points.js';
import { newPrefix, qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { QdrantProxy } from '../support/qdrant-proxy.js';

const KEY = 'qd-0123456789abcdef';

describe('O40: Qdrant behind a reverse proxy, over https, and under addresses that are none', function () {
  this.timeout(60_000);
  let qdrant: QdrantForTests;
  before(async () => void (qdrant = await qdrantForTests()));
  after(() => qdrant.stop());

  for (const [prefix, ending] of [
    ['/qdrant', ''],
    ['/qdrant', '/'],
    ['', ''],
  ] as const) {
    it(`keeps the path ${JSON.stringify(prefix + ending)} once in front of every request`, async () => {
      const proxy = await QdrantProxy.start(qdrant.url, prefix);
      const { qdrant: settings } = loadConfig({
        QDRANT_URL: proxy.origin + prefix + ending,
        QDRANT_API_KEY: qdrant.apiKey ?? KEY,
      });
      const store = new QdrantVectorStore({ ...settings, url: settings.url ?? '', prefix: newPrefix() });
      await store.ensure(EMBEDDING);
      await store.upsert('ann', writes(point('a', {}, { vector: [1, 0, 0, 0], text: 'green tea' })));
      const [hits] = await store.search('ann', [{ sparse: ['tea'], limit: 5 }]);
      assert.equal(hits?.length, 1);
      assert.ok(proxy.seen.length > 10);
      for (const { path } of proxy.seen) {
        assert.ok(path.startsWith(`${prefix}/`), path);
        if (prefix !== '') assert.equal(path.split(prefix).length, 2, path);
      }
      await store.close();
      await proxy.stop();
    });
  }

  const ADDRESSES = [
    ['https://store.example', 'https://store.example:443'],
    ['https://store.example/qdrant/', 'https://store.example:443/qdrant'],
    ['https://store.example:6333', 'https://store.example:6333'],
    ['http://store.example', 'http://store.example:6333'],
    ['http://store.example:80', 'http://store.example:80'],
    ['http://[::1]:6333', 'http://[::1]:6333'],
  ] as const;
  for (const [url, shown] of ADDRESSES) {
    it(`shows ${url} as ${shown}, without the key`, () => {
      assert.equal(qdrantAddress(url).shown, shown);
      const told = describeConfig(loadConfig({ QDRANT_URL: url, QDRANT_API_KEY: KEY }));
      assert.ok(told['store']?.includes(`${shown},`), told['store']);
      assert.ok(!JSON.stringify(told).includes(KEY));
    });
  }

  for (const url of ['store.example:6333', '', 'ftp://store.example', 'http://']) {
    it(`refuses ${JSON.stringify(url)} as a setting, by its name`, () => {
      assert.throws(
        () => loadConfig({ QDRANT_URL: url, QDRANT_API_KEY: KEY }),
        (error) =>
          error instanceof EngraphError &&
          error.kind === 'config' &&
          error.message.includes('QDRANT_URL') &&
          !error.message.includes(KEY),
      );
    });
  }

  it('refuses a user name in the address, and shows no password', () => {
    assert.throws(
      () => qdrantAddress('https://ada:secret@store.example'),
      (error) => error instanceof EngraphError && error.kind === 'config' && !error.message.includes('secret'),
    );
  });

  it('refuses two stores at once', () => {
    assert.throws(
      () => loadConfig({ QDRANT_URL: 'http://127.0.0.1:6333', ENGRAPH_STORE: 'memory.db' }),
      (error) => error instanceof EngraphError && error.kind === 'config' && error.message.includes('ENGRAPH_STORE'),
    );
  });

  it('warns once of a key that goes unencrypted to another machine, and not of one that stays here', () => {
    const warnings: string[] = [];
    const open = (url: string) => new QdrantVectorStore({ url, apiKey: KEY, warn: (message) => warnings.push(message) });
    for (const url of ['http://127.0.0.1:6333', 'http://localhost:6333', 'https://in-the-clear.example']) open(url);
    assert.equal(warnings.length, 0);
    open('http://in-the-clear.example:6333');
    open('http://in-the-clear.example:6333');
    const [warning = '', ...more] = warnings as string[];
    assert.equal(more.length, 0);
    assert.match(warning, /in-the-clear\.example.*https/u);
    assert.ok(!warning.includes(KEY));
  });
});
