import assert from 'node:assert/strict';

import type { OpenMemory } from '../../src/compose.js';
import { EngraphError } from '../../src/domain/failure.js';
import { SelfRecallGate } from '../../src/store/self-recall.js';
import { aTurn, freshMemory, storing } from '../support/conversations.js';
import { aFact } from '../support/nodes.js';
import { storingFacts } from '../support/reconciling.js';

const SPACE = 'u1';
const PETS = Array.from({ length: 14 }, (_, at) => `Pet number ${at} is a ferret called Pip${at}.`);

describe('self-recall', () => {
  let memory: OpenMemory;
  let facts: { readonly id: string; readonly text: string; readonly turn: string }[];
  beforeEach(async () => {
    memory = await freshMemory();
    const { turns } = await storing(
      memory,
      PETS.map((text) => aTurn(text)),
    );
    facts = turns.map(({ turnId: turn }, at) => ({ ...aFact(PETS[at] ?? ''), turn }));
    await storingFacts(
      memory,
      SPACE,
      ...facts.map(({ text, turn }) => aFact(text, { source: { turns: [turn] }, edges: { derivedFrom: [turn] } })),
    );
  });
  const gate = () => new SelfRecallGate(memory.store, memory.nodes, memory.recall);
  const measure = (when: 'before' | 'after', { runId = 'run', sample = 200, first = [] as string[] } = {}) =>
    gate().measure({ space: SPACE, runId, when, sample, first });

  it('is the share of facts that are found by the text of their turn', async () => {
    assert.deepEqual(await measure('before'), { sampled: 14, recall10: 1 });
    await memory.nodes.retire(
      SPACE,
      facts.slice(0, 7).map(({ id }) => id),
      { at: '2026-02-01T00:00:00Z', token: 'gone' },
    );
    assert.deepEqual(await measure('after'), { sampled: 14, recall10: 0.5 });
  });

  it('counts what took the place of a fact', async () => {
    await measure('before');
    const [heir] = [
      aFact('There are many ferrets called Pip0 or Pip1.', { edges: { supersedes: facts.slice(0, 2).map(({ id }) => id) } }),
    ];
    await memory.nodes.insert(SPACE, [heir], { recordedAt: '2026-02-01T00:00:00Z', token: 'heir' });
    await memory.nodes.retire(
      SPACE,
      facts.slice(0, 2).map(({ id }) => id),
      { at: '2026-02-01T00:00:00Z', token: 'gone' },
    );
    assert.deepEqual(await measure('after'), { sampled: 14, recall10: 1 });
  });

  it('asks the same before and after, the facts that a run may change first, and measures a moment once', async () => {
    const first = facts.slice(0, 3).map(({ id }) => id);
    assert.deepEqual(await measure('before', { sample: 3, first }), { sampled: 3, recall10: 1 });
    await memory.nodes.retire(SPACE, first, { at: '2026-02-01T00:00:00Z', token: 'gone' });
    assert.deepEqual(await measure('after', { sample: 3, first: [] }), { sampled: 3, recall10: 0 });
    assert.deepEqual(await measure('before', { sample: 3 }), { sampled: 3, recall10: 1 }, 'it was measured, and stays');
    assert.equal((await measure('before', { runId: 'next', sample: 5, first })).sampled, 5, 'others fill the sample');
  });

  it('is 1 where there is nothing to ask, and nothing can be measured after that was not before', async () => {
    const empty = new SelfRecallGate(memory.store, memory.nodes, memory.recall);
    const asked = { space: 'nobody', runId: 'run', sample: 5, first: [] };
    assert.deepEqual(await empty.measure({ ...asked, when: 'before' }), { sampled: 0, recall10: 1 });
    await assert.rejects(
      empty.measure({ ...asked, runId: 'other', when: 'after' }),
      (error) => error instanceof EngraphError && error.kind === 'not_found',
    );
  });
});
