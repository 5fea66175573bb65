import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import { EngraphError } from '../../src/domain/failure.js';
import type { OpenMemory } from '../../src/compose.js';
import { dot } from '../../src/domain/vector.js';
import { freshMemory } from '../support/conversations.js';
import { factsOf, freshFact, queueOf, reconciler, sleeping, storingFacts, verdict } from '../support/reconciling.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const [MAY, JUNE, JULY] = ['2024-05-01', '2024-06-01', '2024-07-01'].map((day) => `${day}T00:00:00.000Z`) as [
  string,
  string,
  string,
];
const key = (runId: string, queue = 0) => ({ space: SPACE, runId, plan: 0, queue });
const texts = async (memory: OpenMemory): Promise<string[]> => (await factsOf(memory, SPACE)).map(({ text }) => text);

describe('judgeQueue and applyQueue', () => {
  let memory: OpenMemory;
  beforeEach(async () => {
    memory = await freshMemory();
  });

  /** One queue of all facts of the space. */
  async function asleep(model: ScriptedModel, runId = 'run') {
    const sleep = sleeping(memory, model);
    sleep.plan(runId, [queueOf(await factsOf(memory, SPACE))]);
    return sleep;
  }

  it('merge exact duplicates without a model: the earlier id and time, the sources and metadata of both, the later retired', async () => {
    const [first, again] = [
      freshFact('Mira keeps two ferrets.', {
        ...{ validFrom: MAY, metadata: { app: 'a', rank: 1 }, source: { conversation: 'c', turns: ['t1'] } },
        edges: { derivedFrom: ['t1'] },
      }),
      freshFact('Mira keeps two ferrets', {
        ...{ validFrom: JUNE, metadata: { rank: 2 }, source: { conversation: 'd', turns: ['t2'] } },
        edges: { derivedFrom: ['t2'] },
      }),
    ];
    await storingFacts(memory, SPACE, first, again);
    const { activities } = await asleep(new ScriptedModel({}));
    const judged = await activities.judgeQueue(key('run'));
    assert.deepEqual([judged.mergedWithoutModel, judged.changes, judged.spent.calls], [1, 2, 0]);
    assert.deepEqual(await texts(memory), [first.text, again.text], 'nothing is changed before it is applied');
    assert.deepEqual(await activities.applyQueue(key('run')), { revised: 1, retired: 1, inserted: 0, stale: false });

    const [merged, ...others] = await factsOf(memory, SPACE);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [merged?.id, merged?.version, merged?.validFrom, merged?.restatedAt, merged?.status],
      [first.id, 2, MAY, JUNE, undefined],
    );
    assert.deepEqual(merged?.metadata, { app: 'a', rank: 2 });
    assert.deepEqual(merged?.source, { conversation: 'c', turns: ['t1', 't2'] });
    assert.deepEqual(merged?.edges, { derivedFrom: ['t1', 't2'], supersedes: [again.id] });
  });

  it('embed a merged wording anew and keep the history', async () => {
    const [first, more] = [
      freshFact('Mira has a ferret', { validFrom: MAY }),
      freshFact("Mira's ferret is called Pip", { validFrom: JUNE }),
    ];
    await storingFacts(memory, SPACE, first, more);
    const text = 'Mira has a ferret called Pip';
    const sleep = await asleep(reconciler({ [more.text]: [verdict(1, 'merge', text)] }));
    await sleep.reconcile(SPACE, 'run');
    assert.deepEqual(await texts(memory), [text]);
    const [wanted = []] = await new WordEmbedder().embed([text]);
    assert.ok(dot((await memory.nodes.vectors(SPACE, [first.id])).get(first.id) ?? [], wanted) > 0.999);
    const before = await memory.nodes.read(SPACE, [first.id, more.id], { asOf: '2026-02-28T00:00:00Z' });
    assert.deepEqual(
      before.map((node) => node.text),
      [first.text, more.text],
    );
  });

  it('retire what a later fact supersedes at the time of that, and link it', async () => {
    const [berlin, paris] = [freshFact('lives in Berlin', { validFrom: MAY }), freshFact('lives in Paris', { validFrom: JUNE })];
    await storingFacts(memory, SPACE, berlin, paris);
    const sleep = await asleep(reconciler({ [paris.text]: [verdict(1, 'supersede')] }));
    await sleep.reconcile(SPACE, 'run');
    const [current] = await factsOf(memory, SPACE);
    assert.deepEqual([current?.text, current?.edges.supersedes], [paris.text, [berlin.id]]);
    const exported = [];
    for await (const line of memory.nodes.exportSpace(SPACE)) exported.push(line);
    const old = exported.find(({ id }) => id === berlin.id);
    assert.deepEqual([old?.['validTo'], old?.['retiredAt']], [JUNE, '2026-03-01T00:00:00.000Z']);
  });

  it('name in the last of a chain everything that it stands for', async () => {
    const facts = ['lives in Berlin', 'lives in Paris', 'lives in Rome'].map((text, at) =>
      freshFact(text, { validFrom: [MAY, JUNE, JULY][at] ?? MAY }),
    );
    await storingFacts(memory, SPACE, ...facts);
    const sleep = await asleep(reconciler(({ memories }) => memories.map(({ n }) => verdict(n, 'supersede'))));
    await sleep.reconcile(SPACE, 'run');
    const [rome, ...others] = await factsOf(memory, SPACE);
    assert.deepEqual([rome?.text, others.length], ['lives in Rome', 0]);
    assert.deepEqual(rome?.edges.supersedes, [facts[1]?.id, facts[0]?.id]);
    assert.equal(rome?.version, 2, 'one new version, however many verdicts');
  });

  it('make one general fact beside its members, and relate what belongs together', async () => {
    const facts = ['drinks green tea', 'drinks black tea', 'collects teapots'].map((text, at) =>
      freshFact(text, { validFrom: [MAY, JUNE, JULY][at] ?? MAY }),
    );
    await storingFacts(memory, SPACE, ...facts);
    const sleep = await asleep(
      reconciler({
        'drinks black tea': [verdict(1, 'abstract', 'likes tea')],
        'collects teapots': [verdict(2, 'relate')],
      }),
    );
    await sleep.reconcile(SPACE, 'run');
    const all = await factsOf(memory, SPACE);
    const general = all.find(({ abstract }) => abstract);
    assert.deepEqual([general?.text, general?.status, all.length], ['likes tea', undefined, 4]);
    assert.deepEqual(general?.edges.derivedFrom, [facts[0]?.id, facts[1]?.id].sort());
    assert.deepEqual(all.find(({ text }) => text === 'collects teapots')?.edges.relatesTo, [facts[1]?.id]);
  });

  it('do not buy the answers of a dry run again', async () => {
    await storingFacts(
      memory,
      SPACE,
      freshFact('lives in Berlin', { validFrom: MAY }),
      freshFact('has a boat', { validFrom: JUNE }),
    );
    const model = reconciler({});
    const dry = await asleep(model, 'dry run');
    await dry.activities.judgeQueue(key('dry run'));
    const sleep = await asleep(model, 'real run');
    await sleep.reconcile(SPACE, 'real run');
    assert.equal(model.asked.length, 1);
  });

  it('ask again in the next sleep, and not in this one, where the reply stayed unusable', async () => {
    await storingFacts(
      memory,
      SPACE,
      freshFact('lives in Berlin', { validFrom: MAY }),
      freshFact('has a boat', { validFrom: JUNE }),
    );
    const model = new ScriptedModel({ reconcile: () => 'I would rather not say.', repair_reply: () => 'No.' });
    const isUnusable = (error: unknown) => error instanceof ApplicationFailure && error.type === 'llm_unparseable';
    const sleep = await asleep(model, 'first');
    await assert.rejects(sleep.activities.judgeQueue(key('first')), isUnusable);
    await assert.rejects(sleep.activities.judgeQueue(key('first')), isUnusable);
    assert.equal(model.asked.length, 2, 'the question and its one repair');
    const next = await asleep(model, 'second');
    await assert.rejects(next.activities.judgeQueue(key('second')), isUnusable);
    assert.equal(model.asked.length, 4);
    assert.equal(
      (await factsOf(memory, SPACE)).every(({ status }) => status === 'fresh'),
      true,
    );
  });

  it('change nothing where a fact of the queue was changed since the plan, also one that the decision keeps', async () => {
    const [berlin, paris, boat] = [
      freshFact('lives in Berlin', { validFrom: MAY }),
      freshFact('lives in Paris', { validFrom: JUNE }),
      freshFact('has a boat', { validFrom: JUNE }),
    ];
    await storingFacts(memory, SPACE, berlin, paris, boat);
    const sleep = await asleep(reconciler({ [paris.text]: [verdict(1, 'supersede')] }));
    await sleep.activities.judgeQueue(key('run'));
    await memory.nodes.revise(SPACE, {
      ...{ nodeId: boat.id, version: 1, change: { text: 'has a ship' } },
      ...{ recordedAt: '2026-02-01T00:00:00Z', token: 'somebody' },
    });
    const hash = await memory.nodes.exportHash(SPACE);
    assert.equal((await sleep.activities.applyQueue(key('run'))).stale, true);
    assert.equal(await memory.nodes.exportHash(SPACE), hash);
    assert.ok((await factsOf(memory, SPACE)).every(({ status }) => status === 'fresh'));
  });

  it('cost no call where a fact was changed before the queue is judged', async () => {
    const [berlin, paris] = [freshFact('lives in Berlin', { validFrom: MAY }), freshFact('lives in Paris', { validFrom: JUNE })];
    await storingFacts(memory, SPACE, berlin, paris);
    const sleep = await asleep(new ScriptedModel({}));
    await memory.nodes.retire(SPACE, [berlin.id], { at: '2026-02-01T00:00:00Z', token: 'somebody' });
    assert.equal((await sleep.activities.judgeQueue(key('run'))).changes, 0);
    assert.equal((await sleep.activities.applyQueue(key('run'))).stale, true);
  });

  it('are one where that is asked for, but for a store that is down: applyQueue then waits for it', async () => {
    const [berlin, paris] = [freshFact('lives in Berlin', { validFrom: MAY }), freshFact('lives in Paris', { validFrom: JUNE })];
    await storingFacts(memory, SPACE, berlin, paris);
    const model = reconciler({ [paris.text]: [verdict(1, 'supersede')] });
    const sleep = await asleep(model);
    const { upsert } = memory.store;
    memory.store.upsert = async (space, writes, options) => {
      if (writes.some(({ point }) => point.payload['kind'] === 'semantic'))
        throw new EngraphError('store_unavailable', 'down', { retryable: true });
      await upsert.call(memory.store, space, writes, options);
    };
    const left = await sleep.activities.judgeQueue({ ...key('run'), apply: true });
    assert.deepEqual([left.changes, left.applied], [2, undefined]);
    memory.store.upsert = upsert;
    const { applied } = await sleep.activities.judgeQueue({ ...key('run'), apply: true });
    assert.deepEqual(applied, { revised: 1, retired: 1, inserted: 0, stale: false });
    assert.deepEqual(await sleep.activities.applyQueue(key('run')), applied);
    assert.deepEqual([model.asked.length, (await factsOf(memory, SPACE)).map(({ text }) => text)], [1, [paris.text]]);
  });

  it('refuse a queue that was never planned, and one that was never judged', async () => {
    const sleep = sleeping(memory, new ScriptedModel({}));
    const isMissing = (error: unknown) => error instanceof ApplicationFailure && error.type === 'not_found';
    await assert.rejects(sleep.activities.judgeQueue(key('run')), isMissing);
    await assert.rejects(sleep.activities.applyQueue(key('run')), isMissing);
  });
});
