import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { TaskRequest } from '../../src/domain/task.js';
import { aChunk, remembering } from './builders.js';
import { withEngraph, type Stage } from './environment.js';
import { eventually } from './eventually.js';
import { chatReply, withScriptedOpenAi, type Answer, type ScriptedOpenAi, type Script } from './scripted-openai.js';

export const TEA_SPACE = 'teas';

/** A task that the chat agent does in one round with one request, where its answer is `oolong`. */
export const teaTask = (taskId: string, more: Partial<TaskRequest> = {}): TaskRequest => ({
  ...{ space: TEA_SPACE, taskId, instruction: 'Which tea does the user like?', limits: { maxRefinementRounds: 0 } },
  ...more,
});

/** The model's answer to that task. */
export const TEA: Answer = chatReply(JSON.stringify({ answer: 'oolong', cited: [1], known: true }));

/** Runs the body beside workers whose language model is a scripted OpenAI-compatible server, with one memory about tea. */
export async function withAskedServer(
  chat: Script,
  body: (stage: Stage, server: ScriptedOpenAi) => Promise<void>,
): Promise<void> {
  await withScriptedOpenAi({ chat }, async (server) => {
    await withEngraph({ model: new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' }) }, async (stage) => {
      await remembering(stage.memory, TEA_SPACE, aChunk('The user likes oolong tea.'));
      await body(stage, server);
    });
  });
}

/** Fails if a workflow of this queue still runs. The server's list of workflows follows a moment later. */
export async function noneRuns({ temporal, taskQueue }: Stage): Promise<void> {
  await eventually(async () => {
    for await (const { workflowId, status } of temporal.workflow.list({ query: `TaskQueue = '${taskQueue}'` })) {
      assert.notEqual(status.name, 'RUNNING', workflowId);
    }
  });
}
