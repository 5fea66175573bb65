import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { idOf } from '../../src/domain/id.js';
import type { Ranked, SearchOptions } from '../../src/store/recall.js';
import { aFact, anEpisode, aSkill } from '../support/nodes.js';
import { qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const DAY = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();

/** Park and Miller's generator: the same texts on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** Words, a few of them common and most rare, as in texts. */
function sentences(seed: number): (length: number) => string {
  const next = seeded(seed);
  return (length) => Array.from({ length }, () => `word${Math.floor(next() ** 3 * 900)}`).join(' ');
}

/** A conversation of two, facts with sources, episodes, a skill, and some of it retired. */
async function fill({ store, embedder, nodes, turns }: OpenMemory): Promise<void> {
  await store.ensure(embedder.identity);
  const say = sentences(5);
  const said = Array.from({ length: 240 }, (_, sequence) => ({
    ...{ key: `t${sequence}`, sequence, role: 'user' as const, speaker: sequence % 2 ? 'Ann' : 'Bob', text: say(14) },
    ...{ at: DAY(Math.floor(sequence / 12)), indexed: true },
  }));
  await turns.store(said, { space: SPACE, conversation: 'chat', by: idOf('test'), recordedAt: DAY(40) });
  const facts = Array.from({ length: 120 }, (_, i) => aFact(say(9), { validFrom: DAY(i % 20) }));
  const others = [...Array.from({ length: 30 }, () => anEpisode(say(8))), ...Array.from({ length: 10 }, () => aSkill(say(20)))];
  await nodes.insert(SPACE, [...facts, ...others], { recordedAt: DAY(41), token: 'filled' });
  const gone = facts.filter((_, i) => i % 6 === 0).map(({ id }) => id);
  await nodes.retire(SPACE, gone, { at: DAY(45), token: 'retired' });
  await store.upsert('bob', [{ point: { id: idOf('other'), space: 'bob', payload: {}, terms: { word1: 50 } } }]);
}

const SEARCHES: [string, SearchOptions][] = [
  ['both signals', {}],
  ['vectors alone', { mode: 'fast' }],
  // Each store's own BM25 nominates, so a list that is cut amid many of nearly the same score may be cut elsewhere.
  ['every kind', { kinds: ['semantic', 'episodic', 'procedural'], limit: 25, candidates: 1000 }],
  ['turns that facts lead to', { forms: ['turn'] }],
  ['facts alone', { forms: ['fact'] }],
  ['as of a time', { asOf: DAY(43), kinds: ['semantic'] }],
  ['a range of time', { from: DAY(4), until: DAY(11) }],
];

/** The same nodes in the same order, with the same scores but for the last bits of a sum. */
function assertSame(found: readonly Ranked[], expected: readonly Ranked[], query: string): void {
  const named = (list: readonly Ranked[]) => list.map(({ node }) => [node.id, node.version, node.text]);
  assert.deepEqual(named(found), named(expected), query);
  for (const [i, { score, dense, bm25 }] of found.entries()) {
    const other = expected[i] as Ranked;
    for (const difference of [score - other.score, dense - other.dense, bm25 - other.bm25])
      assert.ok(Math.abs(difference) < 1e-5, `${query}: ${difference} at ${i}`);
  }
}

describe('a search over SQLite or Qdrant gives what it gives in memory', function () {
  this.timeout(120_000);
  let qdrant: QdrantForTests;
  const memories: OpenMemory[] = [];

  before(async () => {
    qdrant = await qdrantForTests();
    const stores = [new InMemoryVectorStore(), await SqliteVectorStore.open(':memory:'), qdrant.open()];
    for (const store of stores) memories.push(memoryOver(store, new WordEmbedder()));
    for (const memory of memories) await fill(memory);
  });
  after(async () => {
    for (const memory of memories) await memory.close();
    await qdrant.stop();
  });

  for (const [title, options] of SEARCHES) {
    it(`by ${title}`, async () => {
      const say = sentences(77);
      for (let i = 0; i < 8; i++) {
        const query = `${i % 3 === 0 ? 'What did Ann say about ' : ''}${say(4)}`;
        const lists: Ranked[][] = [];
        for (const { recall } of memories) {
          const found = await recall.search(SPACE, query, options);
          lists.push(found);
        }
        for (const list of lists.slice(1)) assertSame(list, lists[0] ?? [], query);
      }
    });
  }
});
