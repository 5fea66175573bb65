import type { Lifecycle } from '../domain/graph.js';
import type { RipenEnd } from '../domain/skills.js';
import type { KeptRound } from '../store/skills.js';

/** A skill as `engraph skills` tells it. */
export interface SkillTold {
  readonly id: string;
  readonly version: number;
  readonly lifecycle: Lifecycle;
  readonly text: string;
  /** PEMS of this version; absent until measured. */
  readonly maturity?: number;
  readonly estimated?: boolean;
  /** Why its ripening stopped; absent while this version waits for it. */
  readonly stopped?: RipenEnd;
  readonly episodes: number;
  readonly counterExamples: number;
  /** Tasks that had this text in their context, and how many of them went well. */
  readonly used: number;
  readonly succeeded: number;
  readonly rounds: readonly KeptRound[];
}

const BARS = '▁▂▃▄▅▆▇█';

/** Numbers as a row of bars, the highest full; nothing for none. */
export function sparkline(numbers: readonly number[]): string {
  const most = Math.max(...numbers, Number.MIN_VALUE);
  return numbers.map((number) => BARS[Math.round((Math.max(0, number) / most) * (BARS.length - 1))]).join('');
}

/** A skill: where it stands and why, then its rounds. */
export function skillInWords(skill: SkillTold, { withText }: { withText: boolean }): string {
  const { id, version, lifecycle, text, maturity, estimated, stopped, episodes, counterExamples, used, succeeded, rounds } =
    skill;
  const score = maturity === undefined ? 'not measured yet' : `PEMS ${maturity.toFixed(4)}${estimated ? ', estimated' : ''}`;
  const against = counterExamples === 0 ? '' : `, held against ${counterExamples} that failed`;
  return [
    `${lifecycle} skill ${id}, version ${version}: ${score}${stopped === undefined ? '' : `, ${stopped.replaceAll('_', ' ')}`}`,
    `  ${withText ? text.replaceAll('\n', '\n  ') : (text.split('\n')[0] ?? '')}`,
    `  drawn from ${episodes} episodes${against}; used by ${used} tasks, ${succeeded} went well`,
    ...(rounds.length === 0 ? [] : [`  PEMS by round ${sparkline(rounds.map(({ pems }) => pems))}`]),
    ...rounds.map(roundInWords),
  ].join('\n');
}

function roundInWords(round: KeptRound): string {
  const { at, version, rewritten, succeeded, sources, estimated, tokens, drift, pems, verdict } = round;
  const which = rewritten ? `a rewrite of version ${version}` : `version ${version}`;
  const well = `${succeeded} of ${sources} went well${estimated ? ' (on record)' : ''}`;
  const numbers = `${tokens} tokens, drift ${drift.toFixed(3)}, PEMS ${pems.toFixed(4)}`;
  return `    ${at.slice(0, 16).replace('T', ' ')}  round ${round.round}: ${which}: ${well}, ${numbers}: ${verdict.replaceAll('_', ' ')}`;
}
