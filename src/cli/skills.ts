import { writeFile } from 'node:fs/promises';

import { checkSpace } from '../domain/space.js';
import { SkillStore } from '../store/skills.js';
import { withClient, withMemory } from './memory.js';
import type { AddCommand, Session } from './session.js';
import { plotSkills } from './skills-plot.js';
import { skillInWords, type SkillTold } from './telling-skills.js';

/** `engraph skills SPACE`, `engraph skills plot SPACE`, `engraph skills approve SPACE SKILL`: skills, their scores, a person's word on them. */
export const addSkills: AddCommand = (program, act) => {
  const skills = program
    .command('skills')
    .description('tell the skills of a space: versions, scores by round, uses and where they stand; needs no server')
    .argument('[space]', 'the space', 'default')
    .option('--text', 'with their texts')
    .action(
      act<{ text?: boolean }>(async (session, { text }, space) => {
        const told = await toldSkills(session, checkSpace(space));
        session.output.result({ space, skills: told }, () =>
          told.length === 0
            ? `there are no skills in ${JSON.stringify(space)}: a sleep draws them from the episodes of tasks`
            : told.map((skill) => skillInWords(skill, { withText: text === true })).join('\n\n'),
        );
      }),
    );
  skills
    .command('plot')
    .description('draw the scores by round into an SVG file; needs no server')
    .argument('[space]', 'the space', 'default')
    .option('--out <file>', 'the file', 'skills.svg')
    .action(
      act<{ out: string }>(async (session, { out }, space) => {
        const told = await toldSkills(session, checkSpace(space));
        await writeFile(out, plotSkills(told));
        session.output.result({ file: out, skills: told.length }, () => `${out}: the scores of ${told.length} skills by round`);
      }),
    );
  skills
    .command('approve')
    .description('let a rewritten skill that waits for it take the place of what it was')
    .argument('<space>')
    .argument('<skill>', 'its id, as `engraph skills` tells it')
    .option('--refuse', 'refuse it instead')
    .action(
      act<{ refuse?: boolean }>(async (session, { refuse }, space, skillId) => {
        const approved = refuse !== true;
        await withClient(session, 'read', (client) => client.skill(checkSpace(space), skillId as string).approve({ approved }));
        session.output.result({ skillId, approved }, () => `${skillId}: ${approved ? 'approved' : 'refused'}`);
      }),
    );
};

async function toldSkills(session: Session, space: string): Promise<SkillTold[]> {
  return await withMemory(session, 'read', async ({ store }) => {
    const skills = new SkillStore(store);
    const told: SkillTold[] = [];
    for (const node of await skills.all(space)) {
      const { rounds, ripened } = await skills.history(space, node.id);
      const { id, version, lifecycle, text, maturity, estimated, edges } = node;
      told.push({
        ...{ id, version, lifecycle, text, rounds, ...(await skills.uses(space, node)) },
        ...{ episodes: edges.distilledFrom?.length ?? 0, counterExamples: edges.counterExamples?.length ?? 0 },
        ...(maturity !== undefined && { maturity }),
        ...(estimated !== undefined && { estimated }),
        ...(ripened?.version === version && { stopped: ripened.stopped }),
      });
    }
    return told;
  });
}
