import assert from 'node:assert/strict';

import fc from 'fast-check';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { EngraphError } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Condition, FieldCondition, VectorStore } from '../../src/ports/vector-store.js';
import { EMBEDDING, point } from '../support/points.js';
import { qdrantForTests } from '../support/qdrant.js';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const space = fc.constantFrom('ann', "o'mira");
const value = fc.constantFrom<string | number>('x', 'y', '🔥', '\uffee', 1, 2, 10);
const kind = fc.constantFrom('semantic', 'episodic', 'procedural');
const field = fc.constantFrom('status', 'derivedFrom', 'version', 'retiredAt', 'document');

const payload = fc.record(
  {
    kind,
    status: value,
    derivedFrom: fc.array(value, { maxLength: 3 }),
    version: fc.option(value),
    retiredAt: fc.option(value),
    document: value,
  },
  { requiredKeys: [] },
);
const content = fc.record({
  payload,
  vector: fc.option(fc.constantFrom([1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 3, 4], [-1, 0, 2, 0]), { nil: undefined }),
  text: fc.option(fc.constantFrom('tea', 'tea tea milk', 'constructor', ''), { nil: undefined }),
});
const write = fc.record({
  space,
  name,
  content,
  expect: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  token: fc.constantFrom('s', 't'),
});
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ write: fc.array(write, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.array(name, { maxLength: 3 }), space }) },
);

const one: fc.Arbitrary<FieldCondition> = fc
  .record(
    {
      field,
      anyOf: fc.array(value, { maxLength: 2 }),
      noneOf: fc.array(value, { maxLength: 2 }),
      absent: fc.boolean(),
      from: value,
    },
    { requiredKeys: ['field'] },
  )
  .filter((condition) => Object.keys(condition).length > 1) as fc.Arbitrary<FieldCondition>;
const condition: fc.Arbitrary<Condition> = fc.oneof(
  one,
  fc.record({ any: fc.array(one, { maxLength: 2 }) }),
  kind.map((only) => ({ field: 'kind', anyOf: [only] }) as const),
);

/** What a call gave, or the kind of its failure. */
async function outcome<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngraphError) return error.kind;
    throw error;
  }
}

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

async function apply(store: VectorStore, next: Act): Promise<unknown> {
  if ('remove' in next)
    return outcome(
      store.remove(
        next.space,
        next.remove.map((removed) => idOf(removed)),
      ),
    );
  const into = next.write[0]?.space ?? 'ann';
  const writes = next.write.map(({ name, content: { payload, vector, text }, expect, token }) => ({
    point: point(name, payload as JsonObject, {
      space: into,
      ...(vector && { vector: [...vector] }),
      ...(text !== undefined && { text }),
    }),
    ...(expect !== undefined && { expect, token }),
  }));
  return outcome(store.upsert(into, writes));
}

async function ask(store: VectorStore, of: string, filter: Condition[]): Promise<unknown> {
  const [dense = [], sparse = []] = await store.search(of, [
    { dense: [1, 0, 0, 0], limit: 3, filter },
    { sparse: ['tea', 'milk', 'constructor'], limit: 20, filter },
  ]);
  const all = await store.scan(of, { filter, with: { vector: true, terms: true } });
  return [
    dense.map((hit) => [hit.point.id, hit.score.toFixed(5)]),
    // Each store's BM25 is its own: what is nominated is the same, the order need not be.
    sparse.map((hit) => hit.point.id).sort(),
    all,
    await store.count(of, filter),
    ...(await Promise.all(['semantic', 'episodic'].map((one) => store.statistics(of, one, ['tea', 'milk', 'none'])))),
  ];
}

/** Fails unless all the stores, opened anew for each run, give the same answers after the same acts. */
async function agree(open: () => Promise<VectorStore>[], numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 1, maxLength: 12 }),
      fc.array(condition, { maxLength: 3 }),
      async (acts, filter) => {
        const answers: unknown[][] = [];
        for (const store of await Promise.all(open())) {
          await store.ensure(EMBEDDING);
          const seen: unknown[] = [];
          for (const next of acts) seen.push(await apply(store, next));
          for (const of of ['ann', "o'mira"]) seen.push(await ask(store, of, filter));
          seen.push(await store.spaces());
          answers.push(seen);
          await store.close();
        }
        for (const other of answers.slice(1)) assert.deepEqual(other, answers[0]);
      },
    ),
    { numRuns },
  );
}

describe('the stores agree on every answer after any writes, removals and refusals', () => {
  it('in memory and in SQLite', async () => {
    await agree(() => [Promise.resolve(new InMemoryVectorStore()), SqliteVectorStore.open(':memory:')], 60);
  });

  it('in memory and in Qdrant', async () => {
    const qdrant = await qdrantForTests();
    try {
      await agree(() => [Promise.resolve(new InMemoryVectorStore()), Promise.resolve(qdrant.open())], 15);
    } finally {
      await qdrant.stop();
    }
  }).timeout(120_000);
});
