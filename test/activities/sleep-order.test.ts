import assert from 'node:assert/strict';

import fc from 'fast-check';

import { VERDICTS } from '../../src/domain/update-queue.js';
import { hashOf } from '../../src/domain/id.js';
import type { ReconcileInput } from '../../src/prompts/inputs-reconcile.js';
import { freshMemory } from '../support/conversations.js';
import { factsOf, freshFact, queueOf, reconciler, sleeping, storingFacts, verdict } from '../support/reconciling.js';

const SPACE = 'ann';

/** A model without a will: the verdict comes from the texts. */
const whims = ({ fact, memories }: ReconcileInput) =>
  memories.map(({ n, text }) => {
    const whim = Number.parseInt(hashOf(`${fact.text} ${text}`).slice(0, 6), 16);
    return verdict(n, VERDICTS[whim % VERDICTS.length] ?? 'keep', `${text} and ${fact.text}`.slice(0, 60));
  });

/** Facts in queues: of each fact its queue, its day and what it says. */
const histories = fc.array(
  fc.record({ queue: fc.nat(2), day: fc.integer({ min: 1, max: 5 }), word: fc.constantFrom('tea', 'jazz', 'boats', 'Berlin') }),
  { minLength: 3, maxLength: 9 },
);

describe('queues of one sleep', function () {
  this.timeout(60_000);

  it('come to the same graph in any order, and undone to the one before', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), async (history, order) => {
        const hashes: string[] = [];
        for (const each of [[0, 1, 2], order]) {
          const memory = await freshMemory();
          const facts = history.map(({ day, word }, at) =>
            freshFact(`likes ${word} ${at % 2 === 0 ? '' : at}`.trim() + ` q${history[at]?.queue}`, {
              id: `fact ${at}`,
              validFrom: new Date(Date.UTC(2024, 0, day)).toISOString(),
              edges: { derivedFrom: [`turn ${at}`] },
            }),
          );
          await storingFacts(memory, SPACE, ...facts);
          const stored = await factsOf(memory, SPACE);
          const before = await memory.nodes.exportHash(SPACE);
          const sleep = sleeping(memory, reconciler(whims));
          const queueIn = (queue: number) => stored.filter(({ id }) => history[Number(id.slice(5))]?.queue === queue);
          sleep.plan(
            'run',
            [0, 1, 2].map((queue) => queueOf(queueIn(queue))),
          );
          await sleep.reconcile(SPACE, 'run', each);
          hashes.push(await memory.nodes.exportHash(SPACE));
          const turns = new Set((await factsOf(memory, SPACE)).flatMap(({ edges }) => edges.derivedFrom ?? []));
          const ended = new Set<unknown>();
          for await (const line of memory.nodes.exportSpace(SPACE)) if (line['validTo'] !== undefined) ended.add(line['id']);
          if (ended.size === 0)
            for (const at of history.keys()) assert.ok(turns.has(`turn ${at}`), 'no source is lost by merging');
          const undone = await sleep.activities.undoSleep({ space: SPACE, runId: 'run' });
          assert.deepEqual(undone.inTheWay, []);
          assert.equal(await memory.nodes.exportHash(SPACE), before);
        }
        assert.equal(hashes[1], hashes[0]);
      }),
      { numRuns: 25 },
    );
  });

  it('are not decided in the same way again by the same model once they were undone', async () => {
    const memory = await freshMemory();
    const [berlin, paris] = ['lives in Berlin', 'lives in Paris'].map((text, at) =>
      freshFact(text, { validFrom: new Date(Date.UTC(2024, at)).toISOString() }),
    );
    assert.ok(berlin && paris);
    await storingFacts(memory, SPACE, berlin, paris);
    const model = reconciler(({ memories }) => memories.map(({ n }) => verdict(n, 'supersede')));
    const sleep = sleeping(memory, model);
    const runs = async (runId: string) => {
      sleep.plan(runId, [queueOf(await factsOf(memory, SPACE))]);
      await sleep.reconcile(SPACE, runId);
      return (await factsOf(memory, SPACE)).map(({ text }) => text);
    };
    assert.deepEqual(await runs('first'), [paris.text]);
    assert.equal((await sleep.activities.undoSleep({ space: SPACE, runId: 'first' })).restored, 2);
    assert.deepEqual(await runs('second'), [berlin.text, paris.text]);
    assert.equal(model.asked.length, 1);
    assert.ok((await factsOf(memory, SPACE)).every(({ status }) => status === undefined));
  });
});
