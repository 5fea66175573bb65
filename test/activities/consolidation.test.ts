import assert from 'node:assert/strict';

import { MockActivityEnvironment } from '@temporalio/testing';

import type { PlannedSkills } from '../../activities/contract-skills.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { createActivities, memoryOver, type OpenMemory } from '../../src/compose.js';
import type { EpisodicNode, Outcome, ProceduralNode } from '../../src/domain/graph.js';
import { idOf } from '../../src/domain/id.js';
import { SkillStore } from '../../src/store/skills.js';
import { anEpisode } from '../support/nodes.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const TEXT = 'For tasks like: water the ferns\n1. fill the can\n2. water the ferns';

async function work<In, Out>(activity: (input: In) => Promise<Out>, input: In): Promise<Out> {
  return await new MockActivityEnvironment().run<[In], Out, (given: In) => Promise<Out>>(activity, input);
}

describe('consolidation', () => {
  let memory: OpenMemory;
  let model: ScriptedModel;
  let skills: SkillStore;
  let recorded = 0;

  beforeEach(async () => {
    memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
    model = new ScriptedModel({ skill: () => ({ text: TEXT }) });
    skills = new SkillStore(memory.store);
    recorded = 0;
  });

  async function record(instruction: string, outcome: Outcome = 'succeeded'): Promise<string> {
    const node = { ...anEpisode(instruction), id: idOf('test episode', instruction, (recorded += 1)), outcome };
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, recorded)).toISOString();
    await memory.nodes.insert(SPACE, [node], { recordedAt: at, token: node.id });
    return node.id;
  }

  /** A sleep's phase, each activity of it twice, as after a crash. */
  async function consolidate(name: string): Promise<PlannedSkills> {
    const { planSkills, induceSkill, publishSkill, poolEpisodes } = createActivities(memory, model);
    const key = { space: SPACE, runId: idOf('sleep', name) };
    const planned = await work(planSkills, { ...key, dryRun: false });
    assert.deepEqual(planned.episodes === 0 ? planned : await work(planSkills, { ...key, dryRun: false }), planned);
    if (planned.episodes === 0) return planned;
    for (const { skillId, keeps } of planned.skills) {
      if (keeps === true) {
        const kept = await work(publishSkill, { ...key, skillId });
        assert.deepEqual(await work(publishSkill, { ...key, skillId }), kept);
        continue;
      }
      const { text } = await work(induceSkill, { ...key, skillId });
      assert.deepEqual((await work(induceSkill, { ...key, skillId })).text, text);
      const first = await work(publishSkill, { ...key, skillId, text });
      assert.deepEqual(await work(publishSkill, { ...key, skillId, text }), first);
    }
    assert.deepEqual(await work(poolEpisodes, key), await work(poolEpisodes, key));
    return planned;
  }

  const stateOf = async (id: string): Promise<string | undefined> =>
    ((await memory.nodes.read(SPACE, [id]))[0] as EpisodicNode | undefined)?.consolidation;

  it('writes each skill once and buys each answer once, however often its activities run', async () => {
    const ids = [await record('water the ferns'), await record('water the ferns in the hall')];
    await consolidate('one');
    const [skill, ...others] = await skills.current(SPACE);
    assert.equal(others.length, 0);
    assert.deepEqual([skill?.version, skill?.lifecycle, skill?.text], [1, 'candidate', TEXT]);
    assert.deepEqual([...(skill?.edges.distilledFrom ?? [])].sort(), ids.sort());
    assert.equal(model.asked.length, 1);
    assert.deepEqual([await stateOf(ids[0] ?? ''), await stateOf(ids[1] ?? '')], ['consolidated', 'consolidated']);
    assert.equal((await consolidate('two')).episodes, 0);
    assert.equal(model.asked.length, 1);
  });

  it('lets failures wait for a success of their kind, and holds the skill against them then', async () => {
    const failed = await record('water the ferns', 'failed');
    assert.deepEqual([(await consolidate('one')).waiting, model.asked.length, await stateOf(failed)], [1, 0, 'pooled']);
    const succeeded = await record('water the ferns');
    await consolidate('two');
    const [skill] = await skills.current(SPACE);
    assert.deepEqual(skill?.edges, { distilledFrom: [succeeded], counterExamples: [failed] });
    const { successes, failures } = model.asked[0]?.input as { successes: unknown[]; failures: unknown[] };
    assert.deepEqual([successes.length, failures.length], [1, 1]);
  });

  it('says nothing of tasks that were cancelled', async () => {
    await record('water the ferns', 'cancelled');
    assert.equal((await consolidate('one')).episodes, 0);
  });

  it('makes a text that repeats a skill the next version of that skill, with the episodes of both', async () => {
    const ferns = await record('water the ferns');
    await consolidate('one');
    const other = await record('polish seven brass bells with vinegar');
    const planned = await consolidate('two');
    assert.deepEqual(
      planned.skills.map(({ joins }) => joins),
      [false],
    );
    const [skill, ...others] = await skills.current(SPACE);
    assert.equal(others.length, 0);
    assert.deepEqual([skill?.version, skill?.edges.distilledFrom], [2, [ferns, other]]);
  });

  it('leaves a mature skill as it is while nothing speaks against it, and measures anew what says something else', async () => {
    await record('water the ferns');
    await consolidate('one');
    const [first] = (await skills.current(SPACE)) as [ProceduralNode];
    await skills.measure(SPACE, { nodeId: first.id, version: 1 }, { lifecycle: 'mature', maturity: 0.3, estimated: false });
    await record('water the ferns again');
    await consolidate('two');
    const [same] = (await skills.current(SPACE)) as [ProceduralNode];
    assert.deepEqual([same.version, same.lifecycle, same.maturity], [2, 'mature', 0.3]);
    assert.equal(model.asked.length, 1, 'no question for what only went well');
    model = new ScriptedModel({ skill: () => ({ text: `${TEXT}\n3. dry the floor` }) });
    await record('water the ferns once more', 'failed');
    await consolidate('three');
    const [changed] = (await skills.current(SPACE)) as [ProceduralNode];
    assert.deepEqual([changed.version, changed.lifecycle, changed.maturity], [3, 'candidate', undefined]);
  });

  it('counts the uses of a text, and begins anew with another text', async () => {
    await record('water the ferns');
    await consolidate('one');
    const [first] = (await skills.current(SPACE)) as [ProceduralNode];
    const use = async (name: string, outcome: Outcome, at: string): Promise<void> => {
      const node = { ...anEpisode(name, { inherited: [first.id] }), outcome };
      await memory.nodes.insert(SPACE, [node], { recordedAt: at, token: name });
    };
    for (const n of [1, 2, 3, 4]) await use(`failed ${n}`, 'failed', '2100-01-01T00:00:00.000Z');
    assert.equal(await skills.isOpen(SPACE, first), false);
    await use('failed 5', 'failed', '2100-01-01T00:00:00.000Z');
    assert.deepEqual([await skills.uses(SPACE, first), await skills.isOpen(SPACE, first)], [{ used: 5, succeeded: 0 }, true]);
    const change = { text: 'something else' };
    const revised = await memory.nodes.revise(SPACE, {
      nodeId: first.id,
      version: 1,
      change,
      recordedAt: '2100-02-01T00:00:00.000Z',
      token: 'r',
    });
    assert.deepEqual(await skills.uses(SPACE, revised as ProceduralNode), { used: 0, succeeded: 0 });
  });
});
