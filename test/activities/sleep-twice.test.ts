import assert from 'node:assert/strict';

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import fc from 'fast-check';

import type { Planned, PlanInput, SleepActivities } from '../../activities/contract-sleep.js';
import { createActivities, type OpenMemory } from '../../src/compose.js';
import { hashOf } from '../../src/domain/id.js';
import { VERDICTS } from '../../src/domain/update-queue.js';
import type { ReconcileInput } from '../../src/prompts/inputs-reconcile.js';
import { freshMemory } from '../support/conversations.js';
import { factsOf, freshFact, reconciler, storingFacts, verdict } from '../support/reconciling.js';
import type { ScriptedModel } from '../support/scripted-model.js';

const SPACE = 'ann';

/** A model without a will: each verdict comes from the texts. */
const whims = ({ fact, memories }: ReconcileInput) =>
  memories.map(({ n, text }) => {
    const whim = Number.parseInt(hashOf(`${fact.text} ${text}`).slice(0, 6), 16);
    return verdict(n, VERDICTS[whim % VERDICTS.length] ?? 'keep', `${fact.text}, ${text}`.slice(0, 60));
  });

/** A whole reconciliation, as the workflow does it; the queues of each plan in the order given. */
async function sleepOnce(memory: OpenMemory, model: ScriptedModel, runId: string, order: (queues: number) => number[]) {
  const made = createActivities(memory, model, { now: () => new Date('2026-03-01T00:00:00Z') }) as unknown as SleepActivities;
  const quiet = { logger: new DefaultLogger('ERROR') };
  const run = <In, Out>(activity: (input: In) => Promise<Out>, input: In): Promise<Out> =>
    new MockActivityEnvironment({}, quiet).run<[In], Out, (input: In) => Promise<Out>>(activity, input);
  let changes = 0;
  for (let [plan, after]: [number, string | undefined] = [0, undefined]; ; plan++) {
    const input: PlanInput = { space: SPACE, runId, plan, planFacts: 4, ...(after !== undefined && { after }) };
    const planned: Planned = await run(made.planReconcile, input);
    for (const queue of order(planned.queues.length)) {
      const key = { space: SPACE, runId, plan, queue };
      changes += (await run(made.judgeQueue, key)).changes;
      await run(made.applyQueue, key);
    }
    await run(made.settlePlan, { space: SPACE, runId, plan });
    after = planned.next;
    if (after === undefined) return { changes, made, run };
  }
}

const histories = fc.array(
  fc.record({
    day: fc.integer({ min: 1, max: 6 }),
    words: fc.constantFrom(
      'likes tea',
      'likes jazz',
      'lives in Berlin',
      'lives in Paris',
      'plans to sail to Oslo',
      'sailed to Oslo',
    ),
    more: fc.constantFrom('', ' today', ' with Ada', ' with Ben'),
  }),
  { minLength: 2, maxLength: 10 },
);

describe('a sleep, planned, judged and applied', function () {
  this.timeout(120_000);

  const forwards = (queues: number): number[] => Array.from({ length: queues }, (_, queue) => queue);
  async function seeded(history: readonly { day: number; words: string; more: string }[]): Promise<OpenMemory> {
    const memory = await freshMemory();
    const facts = history.map(({ day, words, more }, at) =>
      freshFact(`${words}${more}`, {
        id: `fact ${at}`,
        validFrom: new Date(Date.UTC(2024, 0, day)).toISOString(),
        source: { conversation: 'c', turns: [`turn ${at}`], position: at },
        edges: { derivedFrom: [`turn ${at}`] },
      }),
    );
    await storingFacts(memory, SPACE, ...facts);
    return memory;
  }

  it('comes to the same whatever the order of queues, leaves nothing fresh, and is undone to what was before', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const hashes: string[] = [];
        for (const order of [forwards, (queues: number) => forwards(queues).reverse()]) {
          const memory = await seeded(history);
          const before = await memory.nodes.exportHash(SPACE);
          const { made, run } = await sleepOnce(memory, reconciler(whims), 'run', order);
          hashes.push(await memory.nodes.exportHash(SPACE));
          const facts = await factsOf(memory, SPACE);
          assert.ok(facts.every(({ status }) => status === undefined));
          const stands = new Set(facts.flatMap(({ id, edges }) => [id, ...(edges.supersedes ?? [])]));
          for (const at of history.keys()) assert.ok(stands.has(`fact ${at}`), 'it stands, or is named by what does');
          assert.deepEqual((await run(made.undoSleep, { space: SPACE, runId: 'run' })).inTheWay, []);
          assert.equal(await memory.nodes.exportHash(SPACE), before);
        }
        assert.equal(hashes[1], hashes[0]);
      }),
      { numRuns: 20 },
    );
  });

  it('done again with nothing new asks no model and writes no version', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const memory = await seeded(history);
        const model = reconciler(whims);
        await sleepOnce(memory, model, 'first', forwards);
        const asked = model.asked.length;
        const after = await memory.nodes.exportHash(SPACE, undefined, { history: true });
        const { changes } = await sleepOnce(memory, model, 'second', forwards);
        assert.deepEqual([model.asked.length, changes], [asked, 0]);
        assert.equal(await memory.nodes.exportHash(SPACE, undefined, { history: true }), after);
      }),
      { numRuns: 20 },
    );
  });
});
