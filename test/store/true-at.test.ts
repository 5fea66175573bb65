import assert from 'node:assert/strict';

import { EngraphError } from '../../src/domain/failure.js';
import { NodeStates } from '../../src/store/node-state.js';
import { aTurn, freshMemory, storing } from '../support/conversations.js';
import { aFact } from '../support/nodes.js';
import { storingFacts } from '../support/reconciling.js';

const SPACE = 'u1';
const [JANUARY, MARCH, MAY] = ['2024-01-01', '2024-03-01', '2024-05-01'].map((day) => `${day}T00:00:00.000Z`) as [
  string,
  string,
  string,
];
const BERLIN = aFact('lives in Berlin', { validFrom: JANUARY });
const PARIS = aFact('lives in Paris', { validFrom: MARCH, edges: { supersedes: [BERLIN.id] } });
const AGAIN = aFact('lives in Paris!', { validFrom: MAY });
const TIMELESS = aFact('lives on land');

describe('a search for what was true at a time', () => {
  async function asking() {
    const memory = await freshMemory();
    await storingFacts(memory, SPACE, BERLIN, PARIS, AGAIN, TIMELESS);
    const texts = async (trueAt: string, more: object = {}): Promise<string[]> =>
      (await memory.recall.search(SPACE, 'where does she live', { trueAt, ...more })).map(({ node }) => node.text).sort();
    return { memory, states: new NodeStates(memory.store), texts };
  }
  const ended = { at: '2026-02-01T00:00:00.000Z', token: 'sleep' };

  it('finds what was superseded since, and not what was merged away, before it began or what has no time', async () => {
    const { states, texts } = await asking();
    await states.retire(SPACE, { nodeId: BERLIN.id, version: 1, validTo: MARCH }, ended);
    await states.retire(SPACE, { nodeId: AGAIN.id, version: 1 }, ended);
    assert.deepEqual(await texts('2023-12-31'), []);
    assert.deepEqual(await texts(JANUARY), [BERLIN.text]);
    assert.deepEqual(await texts('2024-02-29T23:59:59.999Z'), [BERLIN.text]);
    assert.deepEqual(await texts(MARCH), [PARIS.text]);
    assert.deepEqual(await texts('2024-06-01', { mode: 'fast' }), [PARIS.text]);
  });

  it('goes by the heir where a crash left what it replaces unmarked', async () => {
    const { texts } = await asking();
    assert.deepEqual(await texts('2024-02-01'), [BERLIN.text]);
    assert.deepEqual(await texts('2024-04-01'), [PARIS.text]);
  });

  it('finds a fact once that was taken back, and turns that were said by then', async () => {
    const { memory, states, texts } = await asking();
    await states.retire(SPACE, { nodeId: AGAIN.id, version: 1, validTo: '2024-07-01T00:00:00.000Z' }, ended);
    await memory.nodes.insert(SPACE, [AGAIN], { recordedAt: '2026-03-01T00:00:00Z', token: 'undo' });
    assert.deepEqual(await texts('2024-08-01'), [PARIS.text, AGAIN.text]);
    await storing(memory, [aTurn('I live here', { at: '2024-05-05T10:00:00.000Z' })]);
    assert.deepEqual(await texts('2024-05-05', { forms: ['turn'] }), []);
    assert.deepEqual(await texts('2024-05-06', { forms: ['turn'] }), ['I live here']);
  });

  it('refuses a time that is none', async () => {
    const { texts } = await asking();
    await assert.rejects(texts('in May'), (error) => error instanceof EngraphError && error.kind === 'bad_timestamp');
  });
});
