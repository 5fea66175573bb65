import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import type { ProceduralNode } from '../../src/domain/graph.js';
import type { SkillsReport } from '../../src/domain/skills.js';
import type { SleepRequest } from '../../src/domain/sleep.js';
import { SkillStore } from '../../src/store/skills.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { OPENING, openVault, procedure, vaultAgent } from '../support/vault.js';

/** The server outlives a test, and with it the tasks of a space. */
const spaceOf = ({ taskQueue }: Stage): string => taskQueue;
const PHASES: SleepRequest = { phases: ['consolidate', 'ripen'] };

async function sleep(stage: Stage, request: SleepRequest = {}): Promise<SkillsReport> {
  const { skills } = await stage.client.sleep(spaceOf(stage), { ...PHASES, ...request });
  assert.ok(skills);
  return skills;
}

async function show(stage: Stage, count: number): Promise<void> {
  for (let at = 1; at <= count; at++) assert.equal((await openVault(stage, `shown ${at}`)).outcome, 'succeeded');
}

async function skillOf(stage: Stage): Promise<ProceduralNode> {
  const [node, ...others] = await new SkillStore(stage.memory.store).all(spaceOf(stage));
  assert.ok(node);
  assert.equal(others.length, 0);
  return node;
}

describe('a sleep that ripens skills', function () {
  this.timeout(180_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('draws a skill from what was shown, tries it on its episodes, and later tasks inherit it', async () => {
    const agent = vaultAgent();
    await withEngraph({ execute: agent.execute, model: new RulesModel() }, async (stage) => {
      assert.equal((await openVault(stage, 'without')).outcome, 'failed');
      await show(stage, 2);
      const { episodes, clusters, induced, ripened, spent } = await sleep(stage);
      assert.deepEqual([episodes, clusters, induced.length, spent.calls], [3, 1, 1, 1]);
      const [skill] = ripened;
      assert.deepEqual([skill?.stopped, skill?.lifecycle, skill?.version], ['settled', 'mature', 1]);
      assert.deepEqual(
        skill?.rounds.map(({ succeeded, sources, drift, estimated }) => [succeeded, sources, drift, estimated]),
        [
          [3, 3, 0, false],
          [3, 3, 0, false],
        ],
      );
      const replays = agent.seen.filter(({ replayOf }) => replayOf !== undefined);
      assert.deepEqual([...new Set(replays.map(({ replayOf }) => replayOf))].sort(), ['shown 1', 'shown 2', 'without']);
      assert.equal(await stage.memory.nodes.count(spaceOf(stage), { kinds: ['episodic'] }), 3, 'a replay records nothing');

      const after = await openVault(stage, 'after');
      assert.deepEqual([after.outcome, after.saved], ['succeeded', { modelCalls: 0, searches: 9 }]);
      const receipt = await stage.client.task(spaceOf(stage), 'after').receipt();
      assert.ok(receipt.every(({ nodes }) => nodes.every(({ act, reason }) => act === 'activates' && reason === 'mature')));

      const again = await sleep(stage);
      assert.deepEqual([again.episodes, again.joined, again.revised.length], [1, 1, 1], 'what used it joins it');
      assert.deepEqual([again.spent.calls, again.ripened.length], [0, 0], 'and changes nothing that it says');
      assert.deepEqual([(await skillOf(stage)).version, (await skillOf(stage)).lifecycle], [2, 'mature']);
      assert.ok((await openVault(stage, 'after all')).saved);
      await sleep(stage);
      const nothing = await sleep(stage);
      assert.deepEqual([nothing.episodes, nothing.ripened.length, nothing.spent.calls], [0, 0, 0]);
    });
  });

  it('rewrites a skill from what failed under it, and keeps the best', async () => {
    const agent = vaultAgent();
    const wrong = procedure(['pull the lever', 'turn the dial', 'push the door']);
    const model = new ScriptedModel({
      skill: () => ({ text: wrong }),
      skill_rewrite: () => ({ text: procedure(OPENING) }),
    });
    await withEngraph({ execute: agent.execute, model }, async (stage) => {
      await show(stage, 2);
      const { ripened } = await sleep(stage);
      const [skill] = ripened;
      assert.deepEqual(
        skill?.rounds.map(({ eta, rewritten, verdict }) => [eta, rewritten, verdict]),
        [
          [0, false, 'measured'],
          [1, true, 'better'],
          [1, true, 'not_better'],
        ],
      );
      assert.deepEqual([skill?.stopped, skill?.lifecycle, skill?.version], ['settled', 'mature', 2]);
      assert.equal((await skillOf(stage)).text, procedure(OPENING));
      const [asked] = model.asks('skill_rewrite');
      assert.match(asked?.user ?? '', /<failure>[\s\S]*nothing moves: pull the lever[\s\S]*<\/failure>/u);
      assert.equal(model.asked.length, 2);
    });
  });

  it('refuses a rewrite that lowers success, and keeps what it was', async () => {
    const agent = vaultAgent({ stuck: ({ replayOf }) => replayOf === 'shown 3' });
    const model = new ScriptedModel({
      skill: () => ({ text: procedure(OPENING) }),
      skill_rewrite: () => ({ text: procedure(['run away']) }),
    });
    await withEngraph({ execute: agent.execute, model }, async (stage) => {
      await show(stage, 3);
      const [skill] = (await sleep(stage)).ripened;
      assert.deepEqual([skill?.stopped, skill?.lifecycle, skill?.version], ['refused', 'trial', 1]);
      assert.deepEqual(
        skill?.rounds.map(({ succeeded, verdict }) => [succeeded, verdict]),
        [
          [2, 'measured'],
          [0, 'refused'],
        ],
      );
      const node = await skillOf(stage);
      assert.deepEqual([node.text, node.lifecycle, node.maturity], [procedure(OPENING), 'trial', skill?.rounds[0]?.pems]);
      const { rounds } = await new SkillStore(stage.memory.store).history(spaceOf(stage), node.id);
      assert.equal(rounds.length, 2, 'what was refused is in its history');
    });
  });

  it('takes the record where the agent cannot replay: estimated, and never mature', async () => {
    await withEngraph({ execute: vaultAgent().execute, model: new RulesModel() }, async (stage) => {
      for (const taskId of ['shown 1', 'shown 2'])
        await stage.client.runTask({ space: spaceOf(stage), taskId, instruction: 'Open the vault', agent: stage.agent });
      const [skill] = (await sleep(stage)).ripened;
      assert.deepEqual([skill?.stopped, skill?.lifecycle], ['settled', 'trial']);
      const node = await skillOf(stage);
      assert.deepEqual([node.estimated, node.lifecycle], [true, 'trial']);
    });
  });

  it('lets a rewrite wait for a person, while the sleep ends', async () => {
    const model = new ScriptedModel({
      skill: () => ({ text: procedure(['wait']) }),
      skill_rewrite: () => ({ text: procedure(OPENING) }),
    });
    await withEngraph({ execute: vaultAgent().execute, model }, async (stage) => {
      await show(stage, 2);
      const [waiting] = (await sleep(stage, { ripen: { approve: true } })).ripened;
      assert.equal(waiting?.stopped, 'awaiting_approval');
      assert.equal((await skillOf(stage)).text, procedure(['wait']));
      const handle = stage.client.skill(spaceOf(stage), waiting.skillId);
      assert.equal((await handle.ripening()).status, 'awaiting_approval');
      const [still] = (await sleep(stage, { ripen: { approve: true } })).ripened;
      assert.equal(still?.stopped, 'awaiting_approval');
      await handle.approve({ approved: true });
      await eventually(async () => {
        const node = await skillOf(stage);
        assert.deepEqual([node.text, node.version, node.lifecycle], [procedure(OPENING), 2, 'mature']);
      });
      await assert.rejects(handle.approve({ approved: true }));
    });
  });

  it('forms a subgraph as for any task where a mature skill fails, and goes without a skill that keeps failing until it is retired', async () => {
    let opening: readonly string[] = OPENING;
    const agent = vaultAgent({ opening: () => opening });
    await withEngraph({ execute: agent.execute, model: new RulesModel() }, async (stage) => {
      await show(stage, 2);
      await sleep(stage);
      assert.equal((await skillOf(stage)).lifecycle, 'mature');
      opening = ['say the word'];
      const failed = await openVault(stage, 'changed');
      assert.equal(failed.outcome, 'failed');
      const { rounds } = await stage.client.task(spaceOf(stage), 'changed').rounds();
      assert.deepEqual(
        rounds.map(({ links }) => links.map(({ reason }) => reason)),
        [['mature'], ['nearest_episode', 'nearest_episode', 'distilled']],
      );
      for (const at of [1, 2, 3, 4]) await openVault(stage, `changed ${at}`);
      await openVault(stage, 'without it');
      const without = await stage.client.task(spaceOf(stage), 'without it').rounds();
      assert.ok(without.rounds.every(({ links }) => links.every(({ kind }) => kind !== 'procedural')));
      const [skill] = (await sleep(stage)).ripened;
      assert.equal(skill?.lifecycle, 'retired');
      assert.deepEqual(await stage.memory.nodes.read(spaceOf(stage), [skill.skillId]), []);
      assert.equal((await skillOf(stage)).lifecycle, 'retired', 'it stays in history');
    });
  });

  it('leaves no trace in a dry run', async () => {
    await withEngraph({ execute: vaultAgent().execute, model: new RulesModel() }, async (stage) => {
      await show(stage, 2);
      const before = await stage.memory.nodes.exportHash(spaceOf(stage));
      const { episodes, clusters, induced, spent } = await sleep(stage, { dryRun: true });
      assert.deepEqual([episodes, clusters, induced.length, spent.calls], [2, 1, 0, 0]);
      assert.equal(await stage.memory.nodes.exportHash(spaceOf(stage)), before);
    });
  });

  it('begins no skill once the budget is used up, and the next sleep does', async () => {
    await withEngraph({ execute: vaultAgent().execute, model: new RulesModel() }, async (stage) => {
      await show(stage, 2);
      const [skill] = (await sleep(stage, { maxTokens: 1 })).ripened;
      assert.equal((await skillOf(stage)).lifecycle, 'candidate');
      assert.ok(skill === undefined || skill.stopped === 'budget');
      assert.equal((await sleep(stage)).ripened[0]?.lifecycle, 'mature');
    });
  });
});
