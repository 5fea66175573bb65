import { RulesModel } from '../../src/adapters/rules.js';
import type { SleepRequest } from '../../src/domain/sleep.js';
import { SkillStore } from '../../src/store/skills.js';
import { withEngraph, type Scene, type Stage } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { OPENING, openVault, procedure, vaultAgent } from '../support/vault.js';

/** Does something with the workflow that a path has made, while its workers still run. */
type Then = (stage: Stage, workflowId: string) => Promise<void>;

const RIPEN: SleepRequest = { phases: ['consolidate', 'ripen'] };

/** The one skill of the stage's space, by its workflow's id. */
async function workflowOf({ memory, taskQueue }: Stage): Promise<{ skillId: string; workflowId: string }> {
  const [node] = await new SkillStore(memory.store).all(taskQueue);
  if (node === undefined) throw new Error('no skill was drawn');
  return { skillId: node.id, workflowId: `skill/${taskQueue}/${node.id}` };
}

/** A path of `skillWorkflow`: two episodes, a sleep, and what is done then. */
function skill(
  scene: Scene,
  request: SleepRequest = {},
  during: (stage: Stage, skillId: string) => Promise<void> = () => Promise.resolve(),
) {
  return async (then: Then): Promise<void> =>
    await withEngraph({ execute: vaultAgent().execute, model: new RulesModel(), ...scene }, async (stage) => {
      for (const taskId of ['shown 1', 'shown 2']) await openVault(stage, taskId);
      await stage.client.sleep(stage.taskQueue, { ...RIPEN, ...request });
      const { skillId, workflowId } = await workflowOf(stage);
      await during(stage, skillId);
      await then(stage, workflowId);
    });
}

/** A path of `taskWorkflow` in a space with a mature skill, of the task that it is asked for. */
function inheriting(taskId: string, changed: boolean) {
  return async (then: Then): Promise<void> => {
    let opening: readonly string[] = OPENING;
    await withEngraph({ execute: vaultAgent({ opening: () => opening }).execute, model: new RulesModel() }, async (stage) => {
      for (const shown of ['shown 1', 'shown 2']) await openVault(stage, shown);
      await stage.client.sleep(stage.taskQueue, RIPEN);
      if (changed) opening = ['say the word'];
      await openVault(stage, taskId);
      await then(stage, `task/${stage.taskQueue}/${taskId}`);
    });
  };
}

const scripted = (first: readonly string[], rewrite: readonly string[]): ScriptedModel =>
  new ScriptedModel({ skill: () => ({ text: procedure(first) }), skill_rewrite: () => ({ text: procedure(rewrite) }) });

/** Every path of a skill's workflow, and those of a task that a skill makes. */
export const SKILL_PATHS: Readonly<Record<string, (then: Then) => Promise<void>>> = {
  'skill-settled': skill({}),
  'skill-rewritten': skill({ model: scripted(['wait'], OPENING) }),
  'skill-refused': skill({
    execute: vaultAgent({ stuck: ({ replayOf }) => replayOf === 'shown 2' }).execute,
    model: scripted(OPENING, ['wait']),
  }),
  'skill-exhausted': skill({ model: scripted(['wait'], ['run']) }, { ripen: { maxConsolidationRounds: 3 } }),
  'skill-approved': skill(
    { model: scripted(['wait'], OPENING) },
    { ripen: { approve: true } },
    async ({ client, taskQueue, memory }, skillId) => {
      await client.skill(taskQueue, skillId).approve({ approved: true });
      await eventually(async () => {
        const [node] = await memory.nodes.read(taskQueue, [skillId]);
        if (node?.version !== 2) throw new Error('the rewrite is not written yet');
      });
    },
  ),
  'task-mature': inheriting('after', false),
  'task-mature-failed': inheriting('changed', true),
};
