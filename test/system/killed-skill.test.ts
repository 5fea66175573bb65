import assert from 'node:assert/strict';

import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js';
import { SkillStore } from '../../src/store/skills.js';
import { environment, replayAll, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { chatReply, ScriptedOpenAi } from '../support/scripted-openai.js';
import { OPENING, procedure, vaultAgent } from '../support/vault.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

const AGENTS = 'system-vaults';
const SPACE = 'killed while it ripens';
const WRONG = procedure(['pull the lever', 'wait', 'wait']);

describe('a worker that is killed with SIGKILL while a skill ripens', function () {
  this.timeout(240_000);
  let memory: OpenMemory;
  let client: EngraphClient;
  let temporal: Client;
  let model: ScriptedOpenAi;
  let agents: Worker;
  let acting: Promise<void>;
  let worker: EngraphProcess;
  let env: NodeJS.ProcessEnv;
  let reached: (() => void) | undefined;
  let release: Promise<void> = Promise.resolve();
  const agent = vaultAgent();

  before(async () => {
    await startEnvironment();
    const { config, server, connection, worker: native } = await environment();
    memory = await openMemory(config);
    temporal = new Client({ connection, namespace: server.namespace });
    client = new EngraphClient({ temporal, memory });
    model = await ScriptedOpenAi.start({
      chat: (request) =>
        chatReply(JSON.stringify({ text: JSON.stringify(request).includes('You repair a skill') ? procedure(OPENING) : WRONG })),
    });
    agents = await Worker.create({
      connection: native,
      namespace: server.namespace,
      taskQueue: AGENTS,
      activities: { execute: act },
    });
    acting = agents.run();
    env = { ENGRAPH_HOME: config.home, OPENAI_BASE_URL: model.baseUrl, ENGRAPH_CHAT_MODEL: 'scripted' };
    worker = await startEngraph('worker', env);
  });

  after(async () => {
    await worker.stop();
    agents.shutdown();
    await acting;
    await model.close();
    await memory.close();
    await stopEnvironment();
  });

  /** Stops in the first replay of the rewritten skill, until it is released. */
  async function act(input: ExecuteInput): Promise<ExecuteOutcome> {
    if (input.replayOf !== undefined && input.context.includes('1. turn the dial')) {
      reached?.();
      await release;
    }
    return agent.execute(input);
  }

  it('goes on in the same round, and buys no answer twice', async () => {
    for (const taskId of ['shown 1', 'shown 2']) {
      const { outcome } = await client.runTask({
        ...{ space: SPACE, taskId, instruction: 'Open the vault of the bank', observation: 'a heavy door' },
        agent: { taskQueue: AGENTS, activity: 'execute', replayable: true },
      });
      assert.equal(outcome, 'succeeded');
    }
    let free = (): void => {};
    release = new Promise((resolve) => (free = resolve));
    const held = new Promise<void>((resolve) => (reached = resolve));
    const sleeping = await client.sleeping(SPACE).start({ phases: ['consolidate', 'ripen'] });
    await held;
    const [candidate] = await new SkillStore(memory.store).current(SPACE);
    assert.ok(candidate);
    assert.equal(model.requests.length, 2, 'one skill, one rewrite');
    await worker.kill();
    free();
    worker = await startEngraph('worker', env);

    const { skills } = await sleeping.result();
    const [ripened] = skills?.ripened ?? [];
    assert.deepEqual(
      ripened?.rounds.map(({ round, eta, rewritten }) => [round, eta, rewritten]),
      [
        [1, 0, false],
        [2, 1, true],
        [3, 1, true],
      ],
    );
    assert.deepEqual([ripened?.stopped, ripened?.lifecycle, ripened?.version], ['settled', 'mature', 2]);
    assert.equal(model.requests.length, 2);
    const { begun, answered } = await memory.drafts.ledger(SPACE);
    assert.deepEqual([begun, answered], [2, 2], 'the ledger counts what the server counted');
    const { rounds } = await new SkillStore(memory.store).history(SPACE, candidate.id);
    assert.equal(rounds.length, 3, 'each round is kept once');
    assert.equal(await memory.nodes.count(SPACE, { kinds: ['episodic'] }), 2);
    await eventually(async () => await replayAll(temporal, 'engraph'));
  });
});
