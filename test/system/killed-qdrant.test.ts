import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { startQdrantEdge, type QdrantEdge } from '../support/qdrant-edge/start.js';
import { QdrantProxy } from '../support/qdrant-proxy.js';
import { codeWords, factPerTurn, nodesOf } from '../support/saying.js';
import { WordEmbedder } from '../support/word-embedder.js';

const paragraph = (n: number): string => `Paragraph ${n} speaks of item ${n * 7}${' and of much that follows'.repeat(8)}.`;
const PARAGRAPHS = Array.from({ length: 300 }, (_, n) => paragraph(n));

describe('Qdrant killed with SIGKILL in mid-write, and started again', function () {
  this.timeout(240_000);
  let folder: string;
  let edge: QdrantEdge;
  let proxy: QdrantProxy;
  let memory: OpenMemory;
  let starting: Promise<void> | undefined;

  before(startEnvironment);
  after(stopEnvironment);

  beforeEach(async () => {
    folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'engraph-killed-'));
    edge = await startQdrantEdge({ folder });
    proxy = await QdrantProxy.start(edge.url);
    memory = memoryOver(new QdrantVectorStore({ url: proxy.origin, timeoutMs: 5_000 }), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
  });
  afterEach(async () => {
    await memory.close();
    await proxy.stop();
    await edge.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Kills the server while it has these writes of points in hand, counted from now, and starts it again on its folder. */
  const killAtWrites = (...numbers: readonly number[]): { kills: number } => {
    const told = { kills: 0 };
    let writes = 0;
    proxy.fault = ({ method, path }) => {
      if (method !== 'PUT' || !path.includes('/points') || starting !== undefined) return undefined;
      if (!numbers.includes(++writes)) return undefined;
      told.kills += 1;
      starting = killAndStart();
      return undefined;
    };
    return told;
  };
  const killAndStart = async (): Promise<void> => {
    await edge.kill();
    edge = await startQdrantEdge({ folder, port: edge.port });
    starting = undefined;
  };

  it('while a document is learned: every chunk is there once', async () => {
    await withEngraph({ memory }, async ({ client }) => {
      const told = killAtWrites(2, 4);
      const learned = await client.learn('s', { document: 'notes.md', text: PARAGRAPHS.join('\n\n'), chunkCharacters: 256 });
      await starting;
      assert.equal(told.kills, 2);
      assert.deepEqual([learned.chunks, learned.added], [300, 300]);
      const texts: string[] = [];
      for await (const node of memory.nodes.scan('s', { forms: ['chunk'], includeRetired: true })) texts.push(node.text);
      assert.deepEqual(texts.sort(), [...PARAGRAPHS].sort());
      assert.equal((await client.search('s', 'Paragraph 299'))[0]?.node.text, PARAGRAPHS[299]);
    });
  });

  it('while a conversation is remembered: each turn is there once, and in one fact', async () => {
    await withEngraph({ memory, model: factPerTurn() }, async ({ client }) => {
      const handle = client.conversation('s', 'the eleven', { sensoryTokens: 32, shortTermTokens: 16, compression: 'none' });
      const told = killAtWrites(1, 5, 9);
      for (let from = 1; from <= 11; from += 4) await handle.remember(codeWords(Math.min(4, 12 - from), from));
      const status = await handle.close();
      await starting;
      assert.ok(told.kills >= 2, `${told.kills} kills`);
      assert.deepEqual([status.turns, status.facts, status.parked], [11, 11, 0]);
      const turns = await nodesOf({ memory }, 's');
      const said = codeWords(11).map(({ content }) => String(content));
      assert.deepEqual(
        turns.map(({ text, source }) => [source.position, text]),
        said.map((text, position) => [position, text]),
      );
      const facts = await nodesOf({ memory }, 's', 'fact');
      assert.deepEqual(
        facts.map(({ text }) => text).sort(),
        said.map((text) => `It was said: ${text}`),
      );
      assert.deepEqual(facts.map(({ edges }) => edges.derivedFrom?.[0]).sort(), turns.map(({ id }) => id).sort());
    });
  });
});
