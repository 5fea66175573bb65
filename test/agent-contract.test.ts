import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { z } from 'zod';

import {
  checkJudgement,
  checkOutcome,
  type ExecuteInput,
  type ExecuteOutcome,
  type JudgeInput,
  type Judgement,
} from '../src/domain/agent.js';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];
interface Definition {
  readonly properties: Record<string, unknown>;
  readonly required: readonly string[];
}

const call = { space: 'ann', taskId: 't1', step: 0, round: 1, instruction: 'When does it open?', observation: '' };

/** Every field that the types have: the compiler refuses this file when one is added there, the tests when it isn't in the schema. */
const WHOLE: {
  ExecuteInput: Required<ExecuteInput>;
  ExecuteOutcome: Required<ExecuteOutcome>;
  JudgeInput: Required<JudgeInput>;
  Judgement: Required<Judgement>;
} = {
  ExecuteInput: {
    ...call,
    context: '<semantic_memory/>',
    feedback: 'too late',
    history: [{ observation: 'a door', action: 'knock' }],
    replayOf: 't0',
  },
  ExecuteOutcome: {
    action: '9:30',
    observation: 'the door opens',
    status: 'succeeded',
    feedback: 'none',
    fault: 'tool',
    cited: [1, '8c5e'],
    model: 'gpt-x',
    usage: { calls: 1, inputTokens: 10, outputTokens: 2 },
  },
  JudgeInput: { ...call, action: '9:30', replayOf: 't0' },
  Judgement: { success: false, feedback: 'an hour late', fault: 'environment' },
};

describe('docs/agent.schema.json', () => {
  let definitions: Record<string, Definition>;
  let accepts: (name: string, value: unknown) => boolean;

  before(async () => {
    const schema = JSON.parse(await readFile(new URL('../docs/agent.schema.json', import.meta.url), 'utf8')) as {
      $defs: Record<string, Definition>;
    };
    definitions = schema.$defs;
    accepts = (name, value) => z.fromJSONSchema({ ...schema, $ref: `#/$defs/${name}` } as JsonSchema).safeParse(value).success;
  });

  for (const [name, whole] of Object.entries(WHOLE)) {
    it(`has the fields of ${name}, no more and no fewer`, () => {
      assert.deepEqual(Object.keys(definitions[name]?.properties ?? {}).sort(), Object.keys(whole).sort());
    });

    it(`accepts a whole ${name}, and one with only what is needed`, () => {
      const needed = Object.fromEntries(Object.entries(whole).filter(([field]) => definitions[name]?.required.includes(field)));
      assert.ok(accepts(name, whole));
      assert.ok(accepts(name, needed));
    });

    it(`refuses a ${name} that lacks something needed`, () => {
      const [first = ''] = definitions[name]?.required ?? [];
      assert.ok(!accepts(name, { ...whole, [first]: undefined }));
    });
  }

  it('agrees with the check of an answer about a null, an unknown status and an unknown fault', () => {
    const nulls = {
      action: '',
      status: 'failed',
      observation: null,
      feedback: null,
      fault: null,
      cited: null,
      model: null,
      usage: null,
    };
    assert.ok(accepts('ExecuteOutcome', nulls));
    assert.equal(checkOutcome(nulls).status, 'failed');
    for (const wrong of [
      { ...nulls, status: 'done' },
      { ...nulls, fault: 'memory' },
    ]) {
      assert.ok(!accepts('ExecuteOutcome', wrong));
      assert.throws(() => checkOutcome(wrong), { kind: 'validation' });
    }
  });

  it('agrees with the check of a judgement', () => {
    assert.ok(accepts('Judgement', { success: true, feedback: null }));
    assert.equal(checkJudgement({ success: true, feedback: null }).success, true);
    assert.ok(!accepts('Judgement', { success: 'yes' }));
    assert.throws(() => checkJudgement({ success: 'yes' }), { kind: 'validation' });
  });
});
