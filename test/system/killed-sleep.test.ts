import assert from 'node:assert/strict';

import { Client } from '@temporalio/client';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import { idOf } from '../../src/domain/id.js';
import type { ReconcileReply } from '../../src/prompts/inputs-reconcile.js';
import type { NewNode } from '../../src/store/nodes.js';
import { environment, replayAll, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { holdStore } from '../support/held-store.js';
import { nodesOf } from '../support/saying.js';
import { chatReply, ScriptedOpenAi, type Answer, type SeenRequest } from '../support/scripted-openai.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

/** Who has moved, and from where to where. What each says shares no rare word with what another says. */
const MOVES = [
  ['Mira', 'Lisbon', 'Porto'],
  ['Tobin', 'Oslo', 'Bergen'],
  ['Ansel', 'Kyoto', 'Osaka'],
  ['Greta', 'Turin', 'Milan'],
  ['Pavel', 'Brno', 'Prague'],
] as const;

describe('a worker that is killed with SIGKILL in the middle of a sleep', function () {
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
    model = await ScriptedOpenAi.start({ chat: (request) => answering?.() ?? supersedes(request) });
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

  const killed = async (): Promise<void> => {
    await worker.kill();
    worker = await startEngraph('worker', env);
  };

  /** Everybody has moved, once: what was true is retired with its end and named by what is true now. */
  const eachMovedOnce = async (space: string): Promise<void> => {
    const result = await client.sleeping(space).handle.result();
    assert.deepEqual(
      [result.end, result.reconcile?.fresh, result.reconcile?.left, result.reconcile?.undone],
      ['done', MOVES.length, [], false],
    );
    const facts = await nodesOf({ memory }, space, 'fact');
    assert.deepEqual(facts.map(({ text }) => text).sort(), MOVES.map(([who, , to]) => `${who} lives in ${to}`).sort());
    for (const { text, edges, status } of facts) {
      const [who] = text.split(' ');
      const move = MOVES.find(([name]) => name === who);
      assert.deepEqual([edges.supersedes, status], [[factId(space, `${who} lives in ${move?.[1]}`)], undefined]);
    }
    for (const [who, from] of MOVES) {
      const versions = await versionsOf(space, factId(space, `${who} lives in ${from}`));
      assert.deepEqual(versions, [{ version: 1, validTo: '2024-06-01T00:00:00.000Z', isRetired: true }]);
    }
    const { begun, answered } = await memory.drafts.ledger(space);
    assert.equal(begun, model.requests.length, 'as the server counted');
    assert.equal(answered, MOVES.length, 'no answer that was kept is bought again');
    assert.ok(begun - answered <= 1, 'what was under way at the kill is asked for once more');
  };

  /** Holds once so many answers are kept. Looked at often, so it says no more than it must. */
  const answers = async (space: string, count: number): Promise<void> => {
    const { answered } = await memory.drafts.ledger(space);
    if (answered < count) throw new Error(`${answered} answers are kept`);
  };

  const versionsOf = async (space: string, nodeId: string) => {
    const versions = [];
    for await (const node of memory.nodes.scan(space, { forms: ['fact'], kinds: ['semantic'], includeRetired: true }))
      if (node.id === nodeId)
        versions.push({ version: node.version, validTo: node.validTo, isRetired: node.retiredAt !== undefined });
    return versions;
  };

  it('while the model answers: the one answer that did not arrive is asked for again', async () => {
    const space = await moved(memory, 'killed while the model answers');
    answering = () => (model.requests.length === 1 ? 'hang' : undefined);
    await client.sleeping(space).start({ reconcile: { lanes: 1 } });
    await eventually(() => assert.equal(model.requests.length, 1), 60_000);
    await killed();
    await eachMovedOnce(space);
    assert.equal(model.requests.length, MOVES.length + 1);
  });

  it('when a judgement is kept and not yet applied', async () => {
    const space = await moved(memory, 'killed before it applies');
    await client.sleeping(space).start({ reconcile: { lanes: 1 } });
    await eventually(() => answers(space, 1), 60_000);
    await killed();
    await eachMovedOnce(space);
  });

  it('while it applies', async () => {
    const space = await moved(memory, 'killed while it applies');
    await client.sleeping(space).start({ reconcile: { lanes: 1 } });
    await eventually(() => answers(space, 2), 60_000);
    const free = await holdStore();
    await worker.kill();
    free();
    worker = await startEngraph('worker', env);
    await eachMovedOnce(space);
  });

  it('when the store shows the first changes and nobody has said so', async () => {
    const space = await moved(memory, 'killed after it applied');
    await client.sleeping(space).start({ reconcile: { lanes: 1 } });
    await eventually(async () => assert.notEqual((await nodesOf({ memory }, space, 'fact')).length, 2 * MOVES.length), 60_000);
    await killed();
    await eachMovedOnce(space);
  });

  it('and a second sleep with nothing new asks no model and changes nothing', async () => {
    const space = await moved(memory, 'asleep twice');
    await client.sleep(space);
    const [hash, asked] = [await client.exportHash(space), model.requests.length];
    const again = await client.sleep(space);
    assert.deepEqual([again.reconcile?.fresh, again.reconcile?.queues, model.requests.length], [0, 0, asked]);
    assert.equal(await client.exportHash(space), hash);
  });

  it('and an undone sleep leaves everything as it was before', async () => {
    const space = await moved(memory, 'undone');
    const hash = await client.exportHash(space);
    const { runId } = await client.sleep(space);
    assert.notEqual(await client.exportHash(space), hash);
    const undone = await client.sleeping(space).undo(runId);
    assert.deepEqual(undone.inTheWay, []);
    assert.equal(await client.exportHash(space), hash);
    await assert.rejects(client.sleeping(space).undo('no-such-sleep'), { kind: 'not_found' });
  });

  it('leaves histories that today’s code can replay', async () => {
    await replayAll(temporal, 'engraph');
  });
});

const factId = (space: string, text: string): string => idOf('moved fact', space, text);

/** A space in which everybody lived somewhere, and then somewhere else, which no sleep has seen yet. */
async function moved({ nodes }: OpenMemory, space: string): Promise<string> {
  const turnOf = (text: string, at: string, position: number): NewNode => ({
    ...{ id: idOf('moved turn', space, text), kind: 'semantic', form: 'turn', text, role: 'user', validFrom: at },
    source: { conversation: 'moves', position },
    edges: {},
  });
  const factOf = (text: string, at: string, position: number, isFresh: boolean): NewNode => ({
    ...{ id: factId(space, text), kind: 'semantic', form: 'fact', text, role: 'user', validFrom: at },
    source: { conversation: 'moves', position },
    edges: { derivedFrom: [idOf('moved turn', space, `I am ${text}`)] },
    ...(isFresh && { status: 'fresh' as const }),
  });
  const told = MOVES.flatMap(([who, from, to], i) => [
    { text: `${who} lives in ${from}`, at: '2024-01-01T00:00:00.000Z', position: i, isFresh: false },
    { text: `${who} lives in ${to}`, at: '2024-06-01T00:00:00.000Z', position: MOVES.length + i, isFresh: true },
  ]);
  const fresh = told.flatMap(({ text, at, position, isFresh }) => [
    turnOf(`I am ${text}`, at, position),
    factOf(text, at, position, isFresh),
  ]);
  await nodes.insert(space, fresh, { recordedAt: '2026-01-01T00:00:00.000Z', token: idOf('moved', space) });
  return space;
}

/** What the scripted model says: who lives somewhere else now lives where they lived before no more. */
function supersedes({ body }: SeenRequest): Answer {
  const { content } = (body['messages'] as { role: string; content: string }[]).find(({ role }) => role === 'user') ?? {
    content: '',
  };
  const who = /<fact[^>]*>\s*(?<who>\w+)/u.exec(content)?.groups?.['who'];
  const memories = [...content.matchAll(/<memory n="(?<n>\d+)"[^>]*>\s*(?<who>\w+)/gu)];
  const theirs = memories.filter(({ groups }) => groups?.['who'] === who);
  const reply: ReconcileReply = {
    reason: 'moved',
    verdicts: theirs.map(({ groups }) => ({ n: Number(groups?.['n']), verdict: 'supersede', text: null })),
  };
  return chatReply(JSON.stringify(reply));
}
