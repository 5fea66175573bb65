import type { Act } from './graph.js';
import { bindingsOf } from './induction-bindings.js';
import type { Procedure, ProcedureStep } from './procedure.js';

/** An episode as induction reads it. */
export interface Experience {
  readonly instruction: string;
  readonly trajectory: readonly Act[];
}

/** How much has to be common to stay. */
export interface InductionSettings {
  /** Share of the episodes that an action must be in, to be a step. */
  readonly commonFrom: number;
  /** Share of a cue's lines that must have been followed by its action. */
  readonly followedFrom: number;
}

/** What is tried, in this order, when what was made before has failed: first as measured, then laxer, then stricter. */
export const INDUCTION_VARIANTS: readonly InductionSettings[] = [
  { commonFrom: 0.8, followedFrom: 0.7 },
  { commonFrom: 0.5, followedFrom: 0.5 },
  { commonFrom: 1, followedFrom: 0.9 },
];

/** Actions that a procedure names as done on the way, at most. */
const MOST_ON_THE_WAY = 12;
/** Instructions that a procedure is named by, at most. */
const MOST_TASKS = 3;

/**
 * Merges the common pattern of episodes that went well into one procedure. What varies from episode to episode and was read
 * before it was done becomes a slot with the line that it was read in as its cue; what was done in nearly all of them is a step,
 * as often as in each; the order is the mean place in the episodes. It knows words only as equal or not, so any vocabulary does.
 * `failed` are episodes or traces that went wrong: an action that ended one of them and was not part of every success is left out.
 */
export function induceProcedure(
  episodes: readonly Experience[],
  failed: readonly Experience[] = [],
  { commonFrom, followedFrom }: InductionSettings = INDUCTION_VARIANTS[0] as InductionSettings,
): Procedure {
  const bindings = bindingsOf(episodes, followedFrom);
  const fatal = new Set(failed.flatMap(({ trajectory }) => trajectory.at(-1)?.action ?? []));
  const bound = new Map(bindings.map((binding) => [binding, [] as number[]]));
  const plain = new Map<string, { places: number[][]; episodes: number }>();
  for (const [at, { trajectory }] of episodes.entries()) {
    const seen = new Map<string, number>();
    trajectory.forEach(({ action }, index) => {
      const place = trajectory.length < 2 ? 0 : index / (trajectory.length - 1);
      const binding = bindings.find(({ done }) => done.has(`${at} ${action}`));
      if (binding !== undefined) return void bound.get(binding)?.push(place);
      const time = seen.get(action) ?? 0;
      seen.set(action, time + 1);
      const known = plain.get(action) ?? { places: [], episodes: 0 };
      (known.places[time] ??= []).push(place);
      plain.set(action, { places: known.places, episodes: known.episodes + (time === 0 ? 1 : 0) });
    });
  }
  const needed = Math.max(1, commonFrom * episodes.length);
  const placed: { step: ProcedureStep; place: number }[] = [];
  const onTheWay: { action: string; times: number }[] = [];
  for (const [action, { places, episodes: times }] of plain) {
    const spoilt = fatal.has(action) && times < episodes.length;
    const common = spoilt ? [] : places.filter((some) => some.length >= needed);
    for (const some of common) placed.push({ step: { action }, place: mean(some) });
    if (common.length === 0 && !spoilt) onTheWay.push({ action, times });
  }
  for (const [{ cue, action }, places] of bound) placed.push({ step: { cue, action }, place: mean(places) });
  if (placed.length === 0) placed.push(...shortest(episodes));
  return {
    tasks: distinct(episodes.map(({ instruction }) => instruction)).slice(0, MOST_TASKS),
    steps: together(placed.sort((a, b) => a.place - b.place || (a.step.action < b.step.action ? -1 : 1)).map(({ step }) => step)),
    onTheWay: onTheWay
      .sort((a, b) => b.times - a.times || (a.action < b.action ? -1 : 1))
      .slice(0, MOST_ON_THE_WAY)
      .map(({ action }) => action),
  };
}

/** Where nothing is common: what the shortest of them did. */
function shortest(episodes: readonly Experience[]): { step: ProcedureStep; place: number }[] {
  const [least] = [...episodes].sort((a, b) => a.trajectory.length - b.trajectory.length);
  return (least?.trajectory ?? []).map(({ action }, place) => ({ step: { action }, place }));
}

/** Steps whose cues stand under one heading follow each other, where the first of them stood: the lines read give their order. */
function together(steps: readonly ProcedureStep[]): ProcedureStep[] {
  const ordered: ProcedureStep[] = [];
  for (const step of steps) {
    const heading = headingOf(step);
    const at = heading === undefined ? -1 : ordered.findLastIndex((other) => headingOf(other) === heading);
    if (at < 0) ordered.push(step);
    else ordered.splice(at + 1, 0, step);
  }
  return ordered;
}

const headingOf = ({ cue }: ProcedureStep): string | undefined => /^[^:]*:(?= )/u.exec(cue ?? '')?.[0];

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
