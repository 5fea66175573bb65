import assert from 'node:assert/strict';

import { Client } from '@temporalio/client';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import type { ConversationHandle } from '../../src/conversation-handle.js';
import type { FactsReply } from '../../src/prompts/inputs-facts.js';
import { environment, replayAll, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { holdStore } from '../support/held-store.js';
import { codeWords, nodesOf } from '../support/saying.js';
import { chatReply, ScriptedOpenAi, type Answer, type SeenRequest } from '../support/scripted-openai.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

const SETTINGS = { sensoryTokens: 32, shortTermTokens: 16, compression: 'none' } as const;
const SAID = codeWords(11).map(({ content }) => content as string);

describe('a worker that is killed with SIGKILL in the middle of a conversation', function () {
  this.timeout(240_000);
  let memory: OpenMemory;
  let client: EngraphClient;
  let temporal: Client;
  let model: ScriptedOpenAi;
  let worker: EngraphProcess;
  let env: NodeJS.ProcessEnv;
  let answering: (() => Answer | undefined) | undefined;

  before(async () => {
    await startEnvironment();
    const { config, server, connection } = await environment();
    memory = await openMemory(config);
    temporal = new Client({ connection, namespace: server.namespace });
    client = new EngraphClient({ temporal, memory });
    model = await ScriptedOpenAi.start({ chat: (request) => answering?.() ?? factPerTurn(request) });
    env = { ENGRAPH_HOME: config.home, OPENAI_BASE_URL: model.baseUrl, ENGRAPH_CHAT_MODEL: 'scripted' };
    worker = await startEngraph('worker', env);
  });

  after(async () => {
    await worker.stop();
    await model.close();
    await memory.close();
    await stopEnvironment();
  });

  beforeEach(() => {
    answering = undefined;
    model.requests.length = 0;
  });

  const open = (space: string): ConversationHandle => client.conversation(space, 'the eleven', SETTINGS);

  const killed = async (): Promise<void> => {
    await worker.kill();
    worker = await startEngraph('worker', env);
  };

  /** All eleven are there, and each is in one fact: nothing lost, nothing doubled. `lost` answers never came to us. */
  const eachOnce = async (handle: ConversationHandle, { lost = 0 } = {}): Promise<void> => {
    const status = await handle.close();
    assert.deepEqual(
      [status.turns, status.facts, status.parked, status.sensory.turns, status.shortTerm.turns],
      [11, 11, 0, 0, 0],
    );
    const turns = await nodesOf({ memory }, handle.space);
    assert.deepEqual(
      turns.map(({ text, source }) => [source.position, text]),
      SAID.map((text, position) => [position, text]),
    );
    const facts = await nodesOf({ memory }, handle.space, 'fact');
    assert.deepEqual(
      facts.map(({ text }) => text).sort(),
      SAID.map((text) => `It was said: ${text}`),
    );
    assert.deepEqual(facts.map(({ edges }) => edges.derivedFrom?.[0]).sort(), turns.map(({ id }) => id).sort());
    const { begun, answered } = await memory.drafts.ledger(handle.space);
    assert.deepEqual([begun, answered], [model.requests.length, model.requests.length - lost], 'as the server counted');
    assert.equal(answered, status.batches, 'no answer that was kept is bought again');
  };

  it('while it stores turns: the call is answered, and they are stored once', async () => {
    const handle = open('killed while it stores');
    for (const text of SAID) await memory.texts.keep(handle.space, text);
    const free = await holdStore();
    const remembering = handle.remember(codeWords(11));
    await eventually(async () => {
      const { raw } = await temporal.workflow.getHandle(handle.workflowId).describe();
      assert.ok(
        raw.pendingActivities?.some(({ activityType, state }) => activityType?.name === 'storeTurns' && state === STARTED),
      );
    }, 60_000);
    await worker.kill();
    free();
    worker = await startEngraph('worker', env);
    assert.equal((await remembering).stored, 11);
    await eachOnce(handle);
  });

  it('as soon as the turns are stored, before they are cut into topics', async () => {
    const handle = open('killed before it cuts');
    await handle.remember(codeWords(6));
    await killed();
    await handle.remember(codeWords(5, 7));
    await eachOnce(handle);
  });

  it('while the model answers: the one answer that did not arrive is asked for again', async () => {
    const handle = open('killed while the model answers');
    answering = () => (model.requests.length === 1 ? 'hang' : undefined);
    await handle.remember(codeWords(11));
    await eventually(() => assert.equal(model.requests.length, 1), 60_000);
    await killed();
    await eachOnce(handle, { lost: 1 });
  });

  it('when an answer is kept and not yet published', async () => {
    const handle = open('killed before it publishes');
    await handle.remember(codeWords(11));
    await eventually(async () => assert.ok((await memory.drafts.ledger(handle.space)).answered > 0), 60_000);
    await killed();
    await eachOnce(handle);
  });

  it('when the store shows the first facts and nobody has said so (case O31)', async () => {
    const handle = open('killed while it publishes');
    await handle.remember(codeWords(11));
    await eventually(async () => assert.ok((await nodesOf({ memory }, handle.space, 'fact')).length > 0), 60_000);
    await killed();
    await eachOnce(handle);
  });

  it('leaves histories that today’s code can replay', async () => {
    await replayAll(temporal, 'engraph');
  });
});

/** temporal.api.enums.v1: an activity that a worker has taken. */
const STARTED = 2;

/** What the scripted model says: in each turn the fact that it says what it says. */
function factPerTurn({ body }: SeenRequest): Answer {
  const { content } = (body['messages'] as { role: string; content: string }[]).find(({ role }) => role === 'user') ?? {
    content: '',
  };
  const topics: FactsReply['topics'] = content
    .split('<section ')
    .slice(1)
    .map((section) => ({
      ...{ section: Number(/n="(\d+)"/u.exec(section)?.[1]), title: 'Code words', summary: 'Code words were said.' },
      facts: [...section.matchAll(/<turn n="(?<n>\d+)"[^>]*>(?<text>[^<]*)/gu)].map(({ groups }) => ({
        ...{
          turn: Number(groups?.['n']),
          saidBy: 'user' as const,
          text: `It was said: ${groups?.['text']?.trim() ?? ''}`,
          when: null,
        },
      })),
    }));
  return chatReply(JSON.stringify({ topics }));
}
