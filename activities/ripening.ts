import { activityInfo } from '@temporalio/activity';

import type { Text } from '../src/domain/claim.js';
import type { EpisodicNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { pems } from '../src/domain/pems.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import { parseSkill, skillRewritePrompt } from '../src/prompts/skill.js';
import { SkillStore } from '../src/store/skills.js';
import { ask } from './asking.js';
import { shownEpisodes, type SkillDeps } from './consolidation.js';
import type { OpenedSkill, RewriteInput, ScoreInput, Scored, SkillActivities, SkillKey, SkillSource } from './contract-skills.js';
import { working } from './failures.js';
import { textOf, type Memory } from './formation.js';
import { finishSkill } from './skill-finish.js';
import { sourcesOf } from './skill-publish.js';

/** What ripening works with. */
export type RipeningDeps = SkillDeps & {
  readonly embedder: Embedder;
  /** Tokens of a text, by the one tokenizer that PEMS is counted in. */
  readonly countTokens: (text: string) => Promise<number>;
};

/** Episodes that a skill is measured by at most, the latest: each costs a run of the agent a round. */
const MOST_SOURCES = 20;
/** Successes that a rewrite is shown, the latest. */
const MOST_SUCCESSES = 12;
/** Failing traces that a rewrite is shown. */
const MOST_FAILING = 4;

/** Ripening [FluxMem]: skills measured by what their episodes come to under them, and rewritten. Each may be repeated at any point. */
export function createRipeningActivities(
  deps: RipeningDeps,
): Pick<SkillActivities, 'listRipenable' | 'openSkill' | 'scoreSkill' | 'rewriteSkill' | 'finishSkill'> {
  const skills = new SkillStore(deps.store);
  return {
    listRipenable: ({ space }) =>
      working(async (signal) => {
        const current = await skills.current(space, { signal });
        const waiting: { skillId: string; version: number }[] = [];
        for (const node of current) {
          const { ripened } = await skills.history(space, node.id, { signal });
          const against = node.edges.counterExamples?.length ?? 0;
          // A mature skill that only found more successes says what it said when it was measured.
          const holds = node.lifecycle === 'mature' ? ripened?.counterExamples === against : ripened?.version === node.version;
          if (!holds || (await skills.isOpen(space, node, { signal }))) waiting.push({ skillId: node.id, version: node.version });
        }
        return { skills: waiting, current: current.length };
      }),

    openSkill: (input) => working((signal) => open(deps, skills, input, { signal })),

    scoreSkill: (input) => working((signal) => score(deps, input, { signal })),

    rewriteSkill: (input) => working((signal) => rewrite(deps, input, signal)),

    finishSkill: (input) => working((signal) => finishSkill({ ...deps, skills }, input, { signal })),
  };
}

async function open(
  deps: RipeningDeps,
  skills: SkillStore,
  { space, skillId }: SkillKey,
  options: CallOptions,
): Promise<OpenedSkill | null> {
  const [node] = await deps.nodes.read(space, [skillId], options);
  if (node?.kind !== 'procedural') return null;
  const keep = async (text: string): Promise<Text> => ({ 'engraph:ref': await deps.texts.keep(space, text, options) });
  const episodes = (await deps.nodes.read(space, sourcesOf(node), options)).filter((one) => one.kind === 'episodic');
  const replayable = episodes.filter(({ replay }) => replay !== undefined);
  const estimated = 2 * replayable.length < episodes.length || episodes.length === 0;
  const sources: SkillSource[] = [];
  for (const episode of (estimated ? episodes : replayable).slice(-MOST_SOURCES)) {
    const { id: episodeId, taskId, outcome, replay } = episode;
    const observation = await keep(episode.trajectory[0]?.observation ?? '');
    sources.push({
      episodeId,
      taskId,
      outcome,
      instruction: await keep(episode.instruction),
      observation,
      ...(replay && { replay }),
    });
  }
  const before = await skills.textBefore(space, node, options);
  return {
    ...{ version: node.version, text: await keep(node.text), sources, estimated },
    ...(before !== undefined && { before: await keep(before) }),
  };
}

async function score(deps: RipeningDeps, input: ScoreInput, options: CallOptions): Promise<Scored> {
  const { space, eta, skills, countSkills } = input;
  const text = await textOf(deps.texts, space, input.text, options);
  const before = input.before === undefined ? text : await textOf(deps.texts, space, input.before, options);
  const [a = [], b = []] = text === before ? [] : await deps.embedder.embed([text, before], options);
  const drift = Math.max(0, text === before ? 0 : 1 - dot(a, b));
  const tokens = await deps.countTokens(text);
  return { pems: pems({ eta, skills, tokens, drift, countSkills }), tokens, drift };
}

async function rewrite(deps: RipeningDeps, input: RewriteInput, signal: AbortSignal) {
  const { space, runId, skillId, round } = input;
  const read = (text: Text): Promise<string> => textOf(deps.texts, space, text, { signal });
  const known = await read(input.text);
  const [node] = await deps.nodes.read(space, [skillId], { signal });
  const distilled = node?.edges.distilledFrom ?? [];
  const failures = await Promise.all(input.failing.slice(0, MOST_FAILING).map((trace) => shownTrace(deps, space, trace, signal)));
  const prompt = skillRewritePrompt({
    known,
    successes: await shownEpisodes(deps, space, distilled.slice(-MOST_SUCCESSES), { signal }),
    failures,
    tried: (await Promise.all(input.tried.map(read))).filter((text) => text !== known),
  });
  const batchId = idOf('call', 'skill rewrite', runId, skillId, round);
  const { reply, spent } = await ask(deps, { space, batchId, attempt: activityInfo().attempt, signal }, prompt, parseSkill);
  return { text: { 'engraph:ref': await deps.texts.keep(space, reply.text, { signal }) }, spent, same: reply.text === known };
}

async function shownTrace(
  { texts }: Pick<Memory, 'texts'>,
  space: string,
  trace: RewriteInput['failing'][number],
  signal: AbortSignal,
) {
  const read = (text: Text): Promise<string> => textOf(texts, space, text, { signal });
  const trajectory: EpisodicNode['trajectory'][number][] = [];
  for (const { observation, action } of trace.trajectory)
    trajectory.push({ observation: await read(observation), action: await read(action) });
  return { instruction: await read(trace.instruction), trajectory, feedback: await read(trace.feedback) };
}
