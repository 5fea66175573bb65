import assert from 'node:assert/strict';

import type { StepLink } from '../../src/domain/graph.js';
import {
  addSpent,
  describeActs,
  describeEdits,
  NOTHING_SPENT,
  roundsTable,
  type RoundReport,
} from '../../src/domain/refinement.js';

const act = (what: StepLink['act']): StepLink => ({
  ...{ number: 1, step: 0, round: 1, act: what, nodeId: 'n', version: 1, kind: 'semantic', score: 0, reason: 'ranked' },
});

const aRound: RoundReport = {
  ...{ step: 0, round: 1, links: [act('activates')], contextTokens: 42, outcome: 'failed', feedbackSource: 'agent' },
  action: { 'engraph:claim': { space: 's', text: 'SECRET | action' } },
  feedback: { 'engraph:claim': { space: 's', text: 'SECRET | feedback' } },
  attribution: { fault: 'missing_knowledge', edits: [{ edit: 'expand' }], refused: [], attributed: true },
  acts: [act('expands'), act('expands')],
  unknownCitations: ['SECRET'],
  spent: { calls: 2, inputTokens: 10, outputTokens: 1 },
  agentSpent: { calls: 1, inputTokens: 5, outputTokens: 1 },
};

describe('addSpent', () => {
  it('adds what is told and takes the rest for nothing', () => {
    assert.deepEqual(addSpent({ calls: 1, inputTokens: 2, outputTokens: 3 }, { inputTokens: 5 }), {
      calls: 1,
      inputTokens: 7,
      outputTokens: 3,
    });
    assert.deepEqual(addSpent(NOTHING_SPENT, {}), NOTHING_SPENT);
  });
});

describe('edits and acts in a few words', () => {
  it('name each edit', () => {
    assert.equal(describeEdits([]), 'no edit');
    assert.equal(
      describeEdits([
        { edit: 'prune', nodes: [1, 2, 3] },
        { edit: 'expand' },
        { edit: 'reshape', node: 4, direction: 'finer' },
        { edit: 'bypass' },
      ]),
      'prune 3 links: off topic, expand by the feedback, reshape node 4: finer, bypass memory',
    );
    assert.equal(describeEdits([{ edit: 'prune', nodes: [1] }]), 'prune 1 link: off topic');
  });

  it('count each act', () => {
    assert.equal(describeActs([]), '–');
    assert.equal(describeActs([act('expands'), act('prunes'), act('prunes'), act('reshapes')]), '+1 −2 ~1');
  });
});

describe('roundsTable', () => {
  it('has a row a round, with numbers and codes and no text of an agent or a memory', () => {
    const table = roundsTable('failed', [aRound, { ...aRound, round: 2 }], []);
    assert.match(table, /^\*\*failed\*\*\n\n\| step \|/u);
    assert.match(table, /\| 0 \| 1 \| failed \| 1 \| 42 \| missing knowledge \| expand by the feedback \| \+2 \| 3 \|/u);
    assert.doesNotMatch(table, /SECRET/u);
    const columns = table
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').length);
    assert.deepEqual(new Set(columns), new Set([11]));
    assert.equal(columns.length, 4);
  });

  it('names the models that answered', () => {
    assert.match(roundsTable('x', [aRound], ['rules (no LLM)', 'gpt']), /\n\nLanguage model: rules \(no LLM\), gpt$/u);
    assert.doesNotMatch(roundsTable('x', [aRound], []), /model:/u);
  });

  it('says where nobody attributed a failure, and where there was nothing to attribute', () => {
    const { attribution, ...bare } = aRound;
    assert.ok(attribution);
    assert.match(
      roundsTable('x', [{ ...aRound, attribution: { ...attribution, attributed: false } }], []),
      /\| unattributed \| expand by the feedback \|/u,
    );
    assert.match(roundsTable('x', [bare], []), /\| 42 \| – \| – \|/u);
  });
});
