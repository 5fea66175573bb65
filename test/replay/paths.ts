import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

import type { ConversationHandle } from '../../src/conversation-handle.js';
import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js';
import type { Script } from '../support/scripted-model.js';
import { ScriptedModel } from '../support/scripted-model.js';
import type { TaskRequest } from '../../src/domain/task.js';
import { aChunk, remembering } from '../support/builders.js';
import { conversationFakes } from '../support/conversation-fakes.js';
import { withEngraph, type Scene, type Stage } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { codeWords } from '../support/saying.js';
import { SKILL_PATHS } from './paths-skill.js';
import { SLEEP_PATHS } from './paths-sleep.js';

/** Does something with the workflow that a path has made, while its workers still run. */
type Then = (stage: Stage, workflowId: string) => Promise<void>;

const SPACE = 'recorded';
const FAILED: ExecuteOutcome = { action: 'no', status: 'failed', feedback: 'look for wading birds' };

/** Agents by what they do in a round. */
const succeedsAt =
  (at: number) =>
  ({ round }: ExecuteInput): ExecuteOutcome =>
    round < at ? FAILED : { action: 'yes', status: 'succeeded', cited: [1] };

const attributing = (edits: readonly object[], more: Script = {}): ScriptedModel =>
  new ScriptedModel({ attribution: () => ({ reason: 'r', fault: 'granularity', edits }), ...more });

/** A path of `taskWorkflow`: what the agent and the model do, and what is asked. */
function task(
  scene: Scene,
  request: Partial<TaskRequest> = {},
  during: (stage: Stage, taskId: string) => Promise<void> = () => Promise.resolve(),
) {
  return async (then: Then): Promise<void> => {
    await withEngraph({ model: new ScriptedModel({}), ...scene }, async (stage) => {
      const chunks = Array.from({ length: 12 }, (_, position) =>
        aChunk(`heron note ${position}, of wading birds`, { document: 'birds.md', position }),
      );
      await remembering(stage.memory, SPACE, ...chunks);
      const handle = await stage.client.startTask({
        space: SPACE,
        taskId: stage.taskQueue,
        instruction: 'what of the heron?',
        agent: stage.agent,
        ...request,
      });
      await during(stage, stage.taskQueue);
      await handle.result();
      await then(stage, handle.workflowId);
    });
  };
}

async function judgeTwice({ client }: Stage, taskId: string): Promise<void> {
  const handle = client.task(SPACE, taskId);
  const waits = (round: number) =>
    eventually(async () => {
      const { status, current } = await handle.rounds();
      if (status !== 'awaiting_judgement' || current?.round !== round)
        throw new Error(`the task is ${status} in round ${current?.round}`);
    });
  await waits(0);
  await handle.judge({ success: false, feedback: 'not about wading birds' });
  await waits(1);
  await handle.judge({ success: true });
}

async function learn(stage: Stage, text: string): Promise<void> {
  await stage.client.learn(SPACE, { document: 'birds.md', text, chunkCharacters: 64 });
}

const refusing: Parameters<typeof conversationFakes>[0] = {
  extractFacts: () => {
    throw ApplicationFailure.nonRetryable('no', 'llm_refused');
  },
};

/** A path of `conversationWorkflow`: eleven messages over small buffers, then what is asked of it. */
function conversation(
  then: (handle: ConversationHandle, stage: Stage) => Promise<unknown>,
  fakes?: Parameters<typeof conversationFakes>[0],
) {
  return async (record: Then): Promise<void> =>
    await withEngraph({ activities: conversationFakes(fakes).activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue, { sensoryTokens: 32, shortTermTokens: 16, idleMs: 500 });
      await handle.remember(codeWords(11));
      await then(handle, stage);
      await record(stage, handle.workflowId);
    });
}

/** What a document has before and after a change, in paragraphs that are chunks. */
const PARAGRAPHS = Array.from({ length: 40 }, (_, at) => `Paragraph number ${at} speaks of herons and of the birds that wade.`);

/** Every path worth keeping a history of, by name. A path runs on a real server, and gives its workflow to `then`. */
export const PATHS: Readonly<Record<string, (then: Then) => Promise<void>>> = {
  'task-success': task({ execute: succeedsAt(0) }),
  'task-expand': task({ execute: succeedsAt(1), model: attributing([{ edit: 'expand' }]) }),
  'task-prune-and-reshape': task({
    execute: succeedsAt(2),
    model: attributing(
      [
        { edit: 'prune', nodes: [2] },
        { edit: 'reshape', node: 1, direction: 'coarser' },
      ],
      { reshape: () => ({ text: 'a coarser heron' }) },
    ),
  }),
  'task-bypass': task({ execute: succeedsAt(1), model: attributing([{ edit: 'bypass' }]) }),
  'task-exhausted': task({ execute: succeedsAt(9), model: attributing([{ edit: 'expand' }]) }),
  'task-tool-fault': task({
    execute: ({ round }) =>
      round === 0
        ? { action: '', status: 'failed', fault: 'tool', feedback: 'timed out' }
        : { action: 'yes', status: 'succeeded' },
  }),
  'task-steps': task({
    execute: ({ step }) =>
      step < 2 ? { action: 'go', status: 'continue', observation: `room ${step}` } : { action: 'eat', status: 'succeeded' },
  }),
  'task-verified': task(
    {
      execute: succeedsAt(1),
      model: attributing([{ edit: 'expand' }], {
        relevance: (prompt) => ({
          scores: (prompt as { input: { candidates: { n: number }[] } }).input.candidates.map(({ n }) => ({ n, score: 1 / n })),
        }),
      }),
    },
    { retrieval: { mode: 'verified' } },
  ),
  'task-judged-by-a-person': task(
    { execute: ({ round }) => ({ action: `answer ${round}`, status: 'succeeded' }), model: attributing([{ edit: 'expand' }]) },
    { judge: { by: 'human' } },
    judgeTwice,
  ),
  'task-judged-by-the-model': task(
    {
      execute: ({ round }) => ({ action: `answer ${round}`, status: 'succeeded' }),
      model: attributing([{ edit: 'expand' }], {
        judgement: (_, call) => ({ reason: 'r', success: call > 0, feedback: 'not yet' }),
      }),
    },
    { judge: { by: 'model' } },
  ),
  'task-cancelled': task(
    { execute: ({ round }) => (round === 0 ? FAILED : Context.current().cancelled), model: attributing([{ edit: 'expand' }]) },
    {},
    async ({ client }, taskId) => {
      const handle = client.task(SPACE, taskId);
      await eventually(async () => {
        if ((await handle.rounds()).current?.round !== 1) throw new Error('round 1 has not begun');
      });
      await handle.cancel();
    },
  ),
  'knowledge-new': async (then) =>
    await withEngraph({}, async (stage) => {
      await learn(stage, PARAGRAPHS.join('\n\n'));
      await then(stage, `knowledge/${SPACE}/birds.md`);
    }),
  'knowledge-changed': async (then) =>
    await withEngraph({}, async (stage) => {
      await learn(stage, PARAGRAPHS.join('\n\n'));
      await learn(stage, ['A new first paragraph, of storks.', ...PARAGRAPHS.slice(0, 30)].join('\n\n'));
      await then(stage, `knowledge/${SPACE}/birds.md`);
    }),
  'knowledge-unchanged': async (then) =>
    await withEngraph({}, async (stage) => {
      await learn(stage, PARAGRAPHS.join('\n\n'));
      await learn(stage, PARAGRAPHS.join('\n\n'));
      await then(stage, `knowledge/${SPACE}/birds.md`);
    }),
  'conversation-flushed': conversation((handle) => handle.flush()),
  'conversation-closed': conversation((handle) => handle.close()),
  'conversation-parked': conversation((handle) => handle.flush(), refusing),
  'conversation-idle': conversation((handle) =>
    eventually(async () => {
      if ((await handle.status()).facts < 11) throw new Error('not everything is extracted');
    }),
  ),
  'conversation-renewed': conversation(async (handle) => {
    for (let call = 0; call < 12; call++) await handle.remember(codeWords(2, 20 + 2 * call));
  }),
  'conversation-cancelled': conversation(async (handle, { temporal }) => {
    const workflow = temporal.workflow.getHandle(handle.workflowId);
    await workflow.cancel();
    await workflow.result().then(
      () => Promise.reject(new Error('it was not cancelled')),
      () => undefined,
    );
  }),
  ...SLEEP_PATHS,
  ...SKILL_PATHS,
};
