import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

import type { PlanInput } from '../../activities/contract-sleep.js';
import { planQueues } from '../../activities/planning.js';
import { createPlanningActivities, plansSeen } from '../../activities/sleep-planning.js';
import type { OpenMemory } from '../../src/compose.js';
import { NodeStates } from '../../src/store/node-state.js';
import { PendingLinks } from '../../src/store/pending-links.js';
import { Plans } from '../../src/store/plans.js';
import { Speakers } from '../../src/store/speakers.js';
import { freshMemory } from '../support/conversations.js';
import { factsOf, freshFact, storingFacts } from '../support/reconciling.js';

const SPACE = 'ann';
const at = (day: number): string => new Date(Date.UTC(2024, 0, day)).toISOString();
const asked = (more: Partial<PlanInput> = {}): PlanInput => ({ space: SPACE, runId: 'run', plan: 0, planFacts: 100, ...more });
const activity = <In, Out>(body: (input: In) => Promise<Out>, input: In): Promise<Out> =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run<[In], Out, (input: In) => Promise<Out>>(
    body,
    input,
  );

describe('planReconcile', () => {
  let memory: OpenMemory;
  beforeEach(async () => {
    memory = await freshMemory();
  });

  /** Facts of a plan's queues by their text. */
  async function queuesOf(input: PlanInput): Promise<string[][]> {
    const planned = await planQueues(memory, input);
    const text = new Map((await factsOf(memory, SPACE)).map((fact) => [fact.id, fact.text]));
    const plans = new Plans(memory.store);
    const queues = planned.queues.map((_, queue) => plans.queue({ ...input, queue }));
    return (await Promise.all(queues)).map((queue) => (queue?.facts ?? []).map(({ nodeId }) => text.get(nodeId) ?? ''));
  }

  const settled = async (): Promise<void> => {
    const facts = (await factsOf(memory, SPACE)).map(({ id, version }) => ({ nodeId: id, version }));
    await new NodeStates(memory.store).markFresh(SPACE, facts, { fresh: false, token: 'settled' });
  };
  const store = (...facts: Parameters<typeof storingFacts>[2][]) => storingFacts(memory, SPACE, ...facts);

  it('puts fresh facts into queues with what they may change, and changes nothing', async () => {
    await store(freshFact('lives in Paris', { validFrom: at(1) }), freshFact('plays the cello', { validFrom: at(2) }));
    await settled();
    await store(freshFact('lives in Berlin', { validFrom: at(3) }), freshFact('owns a boat', { validFrom: at(4) }));
    const before = await memory.nodes.exportHash(SPACE);
    assert.deepEqual(await queuesOf(asked()), [['lives in Paris', 'lives in Berlin']]);
    const { fresh, queues, cut, next, alone } = await planQueues(memory, asked());
    assert.deepEqual([fresh, queues, cut, next, alone.length], [2, [1], 0, undefined, 1]);
    assert.equal(await memory.nodes.exportHash(SPACE), before);
  });

  it('is planned once: what comes later belongs to another plan', async () => {
    await store(freshFact('lives in Paris', { validFrom: at(1) }), freshFact('lives in Berlin', { validFrom: at(2) }));
    const first = await planQueues(memory, asked());
    await store(freshFact('lives in Rome', { validFrom: at(3) }));
    assert.deepEqual(await planQueues(memory, asked()), first);
    assert.equal((await planQueues(memory, asked({ runId: 'another' }))).fresh, 3);
  });

  it('has nothing to do where nothing is fresh', async () => {
    await store(freshFact('lives in Paris'), freshFact('lives in Berlin'));
    await settled();
    assert.deepEqual(await queuesOf(asked()), []);
  });

  it('lets facts meet by a rare name, not by a speaker or by a name that everybody names', async () => {
    await new Speakers(memory.store).add(SPACE, ['Mira']);
    const many = Array.from({ length: 21 }, (_, n) => freshFact(`saw Oslo on trip${n} with item${n}`, { validFrom: at(1) }));
    await store(
      ...many,
      freshFact('adores Pepper the old grey cat', { validFrom: at(2) }),
      freshFact('went out to sea once with Mira', { validFrom: at(2) }),
    );
    await settled();
    await store(
      freshFact('took Pepper to a vet', { validFrom: at(3) }),
      freshFact('Mira and Oslo: never again', { validFrom: at(3) }),
    );
    assert.deepEqual(await queuesOf(asked()), [['adores Pepper the old grey cat', 'took Pepper to a vet']]);
  });

  it('takes the oldest facts first, so many, and goes on after them', async () => {
    await store(...['likes tea', 'likes jazz', 'likes rain'].map((text, n) => freshFact(text, { validFrom: at(9 - n) })));
    const first = await planQueues(memory, asked({ planFacts: 2 }));
    assert.equal(first.fresh, 2);
    assert.ok(first.next !== undefined);
    const second = await planQueues(memory, asked({ planFacts: 2, plan: 1, after: first.next }));
    assert.deepEqual([second.fresh, second.next], [1, undefined]);
  });

  it('takes the links that it had to cut in the plans that follow, until none is left', async () => {
    await store(...Array.from({ length: 20 }, (_, n) => freshFact(`likes thing${n}`, { validFrom: at(1 + n) })));
    const pending = new PendingLinks(memory.store);
    const { plannedQueue, consumed } = plansSeen(memory);
    let after: string | undefined;
    let plan = 0;
    do {
      const input = asked({ plan, ...(after !== undefined && { after }) });
      const planned = await planQueues(memory, input);
      if (plan === 0) assert.ok(planned.cut > 0 && (await pending.list(SPACE)).length === planned.cut);
      else assert.equal(planned.fresh, 0, 'no fact is planned twice');
      for (const queue of planned.queues.keys()) {
        const name = { ...input, queue };
        const found = await plannedQueue(name, {});
        assert.ok(found && found.facts.length <= 16);
        await consumed(name, found);
      }
      after = planned.next;
      plan += 1;
    } while (after !== undefined);
    await settled();
    assert.deepEqual(await pending.list(SPACE), []);
    assert.deepEqual(await queuesOf(asked({ runId: 'the next sleep' })), []);
  });

  it('follows a link that was cut to what its fact was merged into, and forgets one that has lost an end', async () => {
    const about = (city: string, day: number) => freshFact(`a word about ${city}`, { validFrom: at(day) });
    const [paris, berlin, rome, oslo] = [about('Paris', 1), about('Berlin', 2), about('Rome', 3), about('Oslo', 4)];
    await store(paris, rome, oslo);
    await settled();
    const links = new PendingLinks(memory.store);
    await links.add(SPACE, [
      { earlier: berlin.id, later: rome.id, weight: 0.9 },
      { earlier: berlin.id, later: oslo.id, weight: 0.9 },
    ]);
    const [merged] = (await factsOf(memory, SPACE)).filter(({ id }) => id === paris.id);
    const change = { edges: { supersedes: [berlin.id] } };
    const write = { recordedAt: at(40), token: 'merge' };
    await memory.nodes.revise(SPACE, { nodeId: paris.id, version: merged?.version ?? 0, change, ...write });
    await memory.nodes.retire(SPACE, [oslo.id], { at: at(41), token: 'forget' });
    assert.deepEqual(await queuesOf(asked()), [['a word about Paris', 'a word about Rome']]);
    assert.deepEqual(await links.list(SPACE), [{ earlier: paris.id, later: rome.id, weight: 0.9 }]);
  });

  it('settles what no queue has, and nothing that was changed since', async () => {
    const [lone, changed] = [freshFact('plays the cello', { validFrom: at(1) }), freshFact('owns a boat', { validFrom: at(2) })];
    await store(
      lone,
      changed,
      freshFact('lives in Paris', { validFrom: at(3) }),
      freshFact('lives in Rome', { validFrom: at(4) }),
    );
    const { planReconcile, settlePlan } = createPlanningActivities(memory);
    assert.deepEqual(await activity(planReconcile, asked()), { fresh: 4, queues: [1], cut: 0 });
    await memory.nodes.revise(SPACE, { nodeId: changed.id, version: 1, change: {}, recordedAt: at(9), token: 'else' });
    const key = { space: SPACE, runId: 'run', plan: 0 };
    assert.deepEqual(await activity(settlePlan, key), { settled: 1 });
    const fresh = (await factsOf(memory, SPACE)).filter(({ status }) => status === 'fresh').map(({ text }) => text);
    assert.deepEqual(fresh, ['owns a boat', 'lives in Paris', 'lives in Rome']);
    assert.deepEqual(await activity(settlePlan, key), { settled: 0 }, 'done again it does nothing');
    await assert.rejects(
      activity(settlePlan, { ...key, plan: 7 }),
      (error) => error instanceof ApplicationFailure && error.type === 'not_found',
    );
  });
});
