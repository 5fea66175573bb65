import assert from 'node:assert/strict';

import fc from 'fast-check';

import { EngraphError, type FailureKind } from '../../src/domain/failure.js';
import { byteLength, TEXT_MAX_BYTES } from '../../src/domain/fields.js';
import { checkTask, checkWeights, DEFAULT_LIMITS, DEFAULT_RETRIEVAL } from '../../src/domain/task.js';

const NEEDED = { space: 'ann', taskId: 't1', instruction: 'Which tea?' };

const refusal = (kind: FailureKind, says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof EngraphError, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, says);
  return true;
};

describe('checkTask', () => {
  it('fills in every default', () => {
    assert.deepEqual(checkTask(NEEDED), {
      ...NEEDED,
      ...{ observation: '', agent: undefined, judge: { by: 'agent' } },
      ...{ limits: DEFAULT_LIMITS, retrieval: DEFAULT_RETRIEVAL },
      budgets: { semantic: 2500, episodic: 1200, procedural: 1200 },
      edits: ['expand', 'prune', 'reshape', 'bypass'],
    });
  });

  it('keeps what is given beside the defaults, and takes undefined for left out', () => {
    const task = checkTask({
      ...NEEDED,
      limits: { steps: 2, tokens: undefined },
      retrieval: { mode: 'fast' },
      edits: ['prune', 'expand', 'prune'],
    });
    assert.deepEqual(task.limits, { ...DEFAULT_LIMITS, steps: 2 });
    assert.deepEqual(task.retrieval, { ...DEFAULT_RETRIEVAL, mode: 'fast' });
    assert.deepEqual(task.edits, ['expand', 'prune']);
  });

  for (const good of [
    { agent: { taskQueue: 'q', activity: 'a' } },
    { agent: { taskQueue: 'q', activity: 'a', timeoutMs: 1, heartbeatMs: 1_000 } },
    { agent: { chat: {} } },
    { agent: { chat: { mcp: 'stock-2.b_c' } } },
    { judge: { by: 'model' } },
    { judge: { by: 'human', timeoutMs: 5 } },
    { judge: { by: 'activity', taskQueue: 'q', activity: 'a' } },
  ]) {
    it(`takes ${JSON.stringify(good)} as it is`, () => {
      const [[field, value]] = Object.entries(good) as [[string, unknown]];
      assert.deepEqual((checkTask({ ...NEEDED, ...good }) as unknown as Record<string, unknown>)[field], value);
    });
  }

  it('takes no repairs, no edits and no memory at all', () => {
    const none = { topKSemantic: 0, topKEpisodic: 0, topKProcedural: 0, topKExpand: 0 };
    const task = checkTask({ ...NEEDED, limits: { maxRefinementRounds: 0 }, edits: [], retrieval: none });
    assert.deepEqual([task.limits.maxRefinementRounds, task.edits], [0, []]);
  });

  const refused: readonly (readonly [Record<string, unknown>, RegExp, FailureKind?])[] = [
    [{ space: '' }, /space/u, 'bad_space'],
    [{ space: 'a\nb' }, /space/u, 'bad_space'],
    [{ space: 7 }, /space/u, 'bad_space'],
    [{ space: 'x'.repeat(300) }, /300/u, 'bad_space'],
    [{ taskId: '' }, /^taskId is ""/u],
    [{ taskId: undefined }, /^taskId is missing/u],
    [{ taskId: 'x'.repeat(257) }, /^taskId has 257 characters; at most 256/u],
    [{ taskId: '\ud83d' }, /^taskId has broken Unicode/u],
    [{ instruction: ' \n' }, /^instruction is empty/u],
    [{ instruction: ['x'] }, /^instruction is \["x"\]/u],
    [{ instruction: '字'.repeat(22_000) }, /^instruction has 66000 bytes; at most 65536/u, 'too_large'],
    [{ observation: 1 }, /^observation is 1/u],
    [{ observation: 'x'.repeat(65_537) }, /^observation has 65537 bytes/u, 'too_large'],
    [{ instructions: 'x' }, /unknown field "instructions"/u],
    [{ limits: [] }, /^limits is \[\]/u],
    [{ limits: { rounds: 5 } }, /^limits has an unknown field "rounds"/u],
    [{ limits: { maxRefinementRounds: -1 } }, /^limits\.maxRefinementRounds is -1; it must be from 0 to 20/u],
    [{ limits: { maxRefinementRounds: 1.5 } }, /^limits\.maxRefinementRounds is 1\.5; it must be a whole number/u],
    [{ limits: { maxRefinementRounds: '5' } }, /^limits\.maxRefinementRounds is "5"; it must be a number/u],
    [{ limits: { maxRefinementRounds: null } }, /^limits\.maxRefinementRounds is null/u],
    [{ limits: { steps: 0 } }, /^limits\.steps is 0/u],
    [
      { limits: { steps: 200, maxRefinementRounds: 20 } },
      /limits\.steps 200 with limits\.maxRefinementRounds 20 may come to 4200/u,
    ],
    [{ limits: { wallTimeMs: 0 } }, /^limits\.wallTimeMs is 0/u],
    [{ limits: { wallTimeMs: Number.MAX_SAFE_INTEGER } }, /^limits\.wallTimeMs/u],
    [{ limits: { tokens: Number.NaN } }, /^limits\.tokens is null; it must be a number/u],
    [{ retrieval: { mode: 'quick' } }, /^retrieval\.mode is "quick"; it must be one of fast, hybrid, verified/u],
    [{ retrieval: { topKSemantic: 51 } }, /^retrieval\.topKSemantic is 51/u],
    [{ retrieval: { denseWeight: 0, bm25Weight: 0, llmWeight: 0 } }, /denseWeight, bm25Weight, llmWeight are all 0/u],
    [{ retrieval: { denseWeight: 0, bm25Weight: 0 } }, /^retrieval\.denseWeight and retrieval\.bm25Weight are both 0/u],
    [{ retrieval: { llmWeight: -0.1 } }, /^llmWeight is -0\.1/u],
    [{ retrieval: { pruneBelow: 2 } }, /^retrieval\.pruneBelow is 2/u],
    [{ budgets: { semantic: 8_001 } }, /^budgets\.semantic is 8001/u],
    [{ budgets: { semantic: 8_000 } }, /^the budgets come to 10400 tokens/u],
    [{ edits: ['delete'] }, /^edits is \["delete"\]/u],
    [{ edits: 'prune' }, /^edits is "prune"/u],
    [{ agent: 'chat' }, /^agent is "chat"; it must be an object/u],
    [{ agent: { taskQueue: 'q' } }, /^agent\.activity is missing/u],
    [{ agent: { taskQueue: '', activity: 'a' } }, /^agent\.taskQueue is ""/u],
    [{ agent: { taskQueue: 'q', activity: 'a', timeoutMs: 0 } }, /^agent\.timeoutMs is 0/u],
    [{ agent: { taskQueue: 'q', activity: 'a', heartbeatMs: 10 } }, /^agent\.heartbeatMs is 10/u],
    [{ agent: { chat: {}, activity: 'a' } }, /^agent has an unknown field "activity"/u],
    [{ agent: { chat: 'stock' } }, /^agent\.chat is "stock"; it must be an object/u],
    [{ agent: { chat: { mcp: { command: 'rm' } } } }, /^agent\.chat\.mcp is \{"command":"rm"\}; it must be the name/u],
    [{ agent: { chat: { mcp: 'rm -rf /' } } }, /^agent\.chat\.mcp/u],
    [{ agent: { chat: { mcp: '' } } }, /^agent\.chat\.mcp/u],
    [{ agent: { chat: { command: 'rm' } } }, /^agent\.chat has an unknown field "command"/u],
    [{ judge: { by: 'jury' } }, /^judge\.by is "jury"; it must be one of agent, model, human, activity/u],
    [{ judge: { by: 'model', timeoutMs: 5 } }, /^judge has an unknown field "timeoutMs"/u],
    [{ judge: { by: 'human', timeoutMs: -5 } }, /^judge\.timeoutMs is -5/u],
    [{ judge: { by: 'activity', taskQueue: 'q' } }, /^judge\.activity is missing/u],
  ];
  for (const [wrong, says, kind = 'validation'] of refused) {
    it(`refuses ${JSON.stringify(wrong).slice(0, 70)} and names the field`, () => {
      assert.throws(() => checkTask({ ...NEEDED, ...wrong }), refusal(kind, says));
    });
  }

  for (const nothing of [undefined, null, 'a task', ['a task']]) {
    it(`refuses ${JSON.stringify(nothing)} in place of a task`, () =>
      assert.throws(() => checkTask(nothing), refusal('validation', /the task is/u)));
  }

  it('fails only with kinds of ours, whatever it is given, and does not repeat long values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('space', 'taskId', 'instruction', 'limits', 'retrieval', 'budgets', 'agent', 'judge', 'edits'),
          fc.jsonValue(),
        ),
        (input) => {
          try {
            checkTask({ ...NEEDED, ...input });
          } catch (error) {
            assert.ok(error instanceof EngraphError, String(error));
            assert.ok(['validation', 'bad_space', 'too_large'].includes(error.kind));
            assert.ok(!error.retryable);
            assert.ok(error.message.length < 1_000);
          }
        },
      ),
    );
  });

  it('gives its own result back', () => {
    const { agent: _none, ...task } = checkTask({ ...NEEDED, judge: { by: 'human' }, limits: { steps: 3 } });
    assert.deepEqual(checkTask(task), { ...task, agent: undefined });
  });
});

describe('checkWeights', () => {
  it('takes a single weight above 0', () =>
    assert.doesNotThrow(() => checkWeights({ denseWeight: 0, bm25Weight: 0, llmWeight: 0.1 })));
});

describe('byteLength', () => {
  it('is the length in UTF-8', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(byteLength(text), Buffer.byteLength(text))));
    assert.ok(byteLength('x'.repeat(TEXT_MAX_BYTES)) === TEXT_MAX_BYTES);
  });
});
