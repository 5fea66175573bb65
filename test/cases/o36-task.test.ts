import assert from 'node:assert/strict';

import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

import type { EngraphError } from '../../src/domain/failure.js';
import type { TaskRequest } from '../../src/domain/task.js';
import { noneRuns, teaTask } from '../support/asked-server.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../support/environment.js';

const NO_WEIGHTS = { denseWeight: 0, bm25Weight: 0, llmWeight: 0 };

/** Inputs that no task can have, with the kind of the failure and what its message names. */
const WRONG: readonly [string, unknown, string, RegExp][] = [
  ['repairs below 0', { limits: { maxRefinementRounds: -1 } }, 'validation', /maxRefinementRounds is -1/u],
  ['repairs that are no number', { limits: { maxRefinementRounds: '5' } }, 'validation', /maxRefinementRounds/u],
  ['a limit that does not exist', { limits: { rounds: 5 } }, 'validation', /"rounds"/u],
  ['weights that are all 0', { retrieval: NO_WEIGHTS }, 'validation', /denseWeight, bm25Weight, llmWeight/u],
  ['a negative weight', { retrieval: { bm25Weight: -1 } }, 'validation', /bm25Weight is -1/u],
  ['an unknown mode', { retrieval: { mode: 'deep' } }, 'validation', /"deep"/u],
  ['an unknown judge', { judge: { by: 'dog' } }, 'validation', /"dog"/u],
  ['an unknown edit', { edits: ['delete'] }, 'validation', /delete/u],
  ['an instruction that is no text', { instruction: ['a'] }, 'validation', /instruction/u],
  ['an instruction over the limit', { instruction: 'a'.repeat(65_537) }, 'too_large', /65537.*65536/u],
  ['an empty space', { space: '' }, 'bad_space', /1 to 256 characters/u],
  ['a space with a line end', { space: 'a\nb' }, 'bad_space', /control characters/u],
  ['a space that is no text', { space: 7 }, 'bad_space', /number/u],
];

describe('O36 · invalid input of a task', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is refused by the client before anything is started', async () => {
    await withEngraph({}, async (stage) => {
      for (const [what, part, kind, message] of WRONG) {
        await assert.rejects(
          stage.client.startTask({ ...teaTask(what), ...(part as Partial<TaskRequest>) }),
          (error: EngraphError) => {
            assert.deepEqual([error.kind, error.retryable], [kind, false], what);
            assert.match(error.message, message);
            return true;
          },
        );
      }
      assert.deepEqual(await workflows(stage), []);
    });
  });

  it('fails a workflow that somebody else started, at once and for good, and no workflow task fails over it', async () => {
    await withEngraph({}, async (stage) => {
      for (const [what, part, kind, message] of WRONG) {
        await failsWith(stage, 'taskWorkflow', [{ ...teaTask(what), ...(part as object) }], kind, message);
      }
      for (const input of ['not an object', null, 7, ['a']])
        await failsWith(stage, 'taskWorkflow', [input], 'validation', /the task/u);
      await failsWith(stage, 'taskWorkflow', [], 'validation', /the task/u);
      for (const input of ['not an object', null, {}]) await failsWith(stage, 'knowledgeWorkflow', [input], undefined, /./u);
      await noneRuns(stage);
    });
  });
});

let started = 0;

async function failsWith(
  { temporal, taskQueue }: Stage,
  workflow: string,
  args: unknown[],
  kind: string | undefined,
  message: RegExp,
): Promise<void> {
  const workflowId = `${taskQueue}/wrong/${started++}`;
  const handle = await temporal.workflow.start(workflow, { workflowId, taskQueue, args, workflowExecutionTimeout: '5 seconds' });
  await assert.rejects(handle.result(), (error: WorkflowFailedError) => {
    assert.ok(error.cause instanceof ApplicationFailure, `${JSON.stringify(args).slice(0, 80)}: ${String(error.cause)}`);
    if (kind === undefined) assert.match(error.cause.type ?? '', /^(validation|bad_space)$/u);
    else assert.equal(error.cause.type, kind);
    assert.match(error.cause.message, message);
    return true;
  });
  const { events } = await handle.fetchHistory();
  assert.equal((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length, 0);
}

async function workflows({ temporal, taskQueue }: Stage): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of temporal.workflow.list({ query: `TaskQueue = '${taskQueue}'` })) ids.push(workflowId);
  return ids;
}
