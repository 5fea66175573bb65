import type { Act } from './graph.js';
import { linesRead, SLOT } from './procedure.js';

/** A line that was read, with a slot, and the action that followed it, with the same slot. */
export interface Binding {
  readonly cue: string;
  readonly action: string;
  /** The actions that it explains, as `EPISODE ACTION`. */
  readonly done: ReadonlySet<string>;
}

interface Draft {
  readonly cue: string;
  readonly action: string;
  /** What stood in the slot, in how many places. */
  readonly fillers: Set<string>;
  readonly done: Set<string>;
}

/** Words that what stands in a slot may have, at most: longer is a sentence, not a thing. */
const LONGEST_FILLER = 6;

/**
 * Which actions did something with what stood in a line that was read before. A pair of line and action is held to be a
 * pattern where two different things stood in its slot, or one that stands in the slot of such a pattern too; and where most
 * lines of that form were followed by the action. Each action is explained by the pattern that explains the most.
 */
export function bindingsOf(episodes: readonly { readonly trajectory: readonly Act[] }[], followedFrom: number): Binding[] {
  const drafts = draftsOf(episodes);
  const lines = episodes.map(({ trajectory }) => trajectory.map(({ observation }) => linesRead(observation)));
  const isFollowed = (draft: Draft): boolean => followed(draft, lines) >= followedFrom;
  const explained = new Set<string>();
  const wide = cover(drafts.filter(({ fillers }) => fillers.size >= 2).filter(isFollowed), explained);
  const known = new Set(wide.flatMap(({ fillers }) => [...fillers]));
  const isRare = rare(episodes);
  const narrow = drafts
    .filter(({ fillers, done }) => fillers.size < 2 && [...fillers].every((filler) => known.has(filler)) && isRare(done))
    .filter(isFollowed);
  return [...wide, ...cover(narrow, explained)];
}

/** Whether actions were done in one of several episodes only: what nearly all have in common varies with nothing. */
function rare(episodes: readonly { readonly trajectory: readonly Act[] }[]): (done: ReadonlySet<string>) => boolean {
  const times = new Map<string, number>();
  for (const { trajectory } of episodes)
    for (const action of new Set(trajectory.map((act) => act.action))) times.set(action, (times.get(action) ?? 0) + 1);
  const most = episodes.length < 2 ? 1 : episodes.length / 2;
  return (done) => [...done].every((key) => (times.get(key.slice(key.indexOf(' ') + 1)) ?? 0) <= most);
}

/** Greedily, the pattern that explains the most things first: one stays where it explains an action that none before it does. */
function cover(drafts: readonly Draft[], explained: Set<string>): (Binding & { readonly fillers: ReadonlySet<string> })[] {
  const ranked = drafts
    .map((draft) => ({ draft, common: commonWords(draft) }))
    .sort(
      (a, b) =>
        b.draft.fillers.size - a.draft.fillers.size ||
        b.common - a.common ||
        a.draft.cue.length - b.draft.cue.length ||
        (a.draft.cue + a.draft.action < b.draft.cue + b.draft.action ? -1 : 1),
    );
  const used = new Set<string>();
  const chosen: (Binding & { readonly fillers: ReadonlySet<string> })[] = [];
  // First a line of its own for each action; a line that says nothing new may still be followed by a second action.
  for (const again of [false, true]) {
    for (const { draft } of ranked) {
      const { cue, action, done, fillers } = draft;
      const fresh = [...done].filter((key) => !explained.has(key));
      if (fresh.length === 0 || used.has(cue) !== again) continue;
      for (const key of fresh) explained.add(key);
      used.add(cue);
      chosen.push({ cue, action, done: new Set(fresh), fillers });
    }
  }
  return chosen;
}

/** Words besides the slot that a line and an action share: the more, the likelier that one is about the other. */
function commonWords({ cue, action }: Draft): number {
  const words = new Set(cue.split(' '));
  return action.split(' ').filter((word) => word !== SLOT && words.has(word)).length;
}

function draftsOf(episodes: readonly { readonly trajectory: readonly Act[] }[]): Draft[] {
  const drafts = new Map<string, Draft>();
  for (const [at, { trajectory }] of episodes.entries()) {
    const read = new Set<string>();
    for (const { observation, action } of trajectory) {
      for (const line of linesRead(observation)) read.add(line);
      for (const line of read) {
        for (const { cue, act, filler } of slotsBetween(line, action)) {
          const key = `${cue}\n${act}`;
          const draft = drafts.get(key) ?? { cue, action: act, fillers: new Set<string>(), done: new Set<string>() };
          draft.fillers.add(filler);
          draft.done.add(`${at} ${action}`);
          drafts.set(key, draft);
        }
      }
    }
  }
  return [...drafts.values()];
}

/** Every way in which a line and an action can be about the same thing: the runs of words they share that can't be made longer. */
function slotsBetween(line: string, action: string): { cue: string; act: string; filler: string }[] {
  const [read, done] = [line.split(' '), action.split(' ')];
  const found: { cue: string; act: string; filler: string }[] = [];
  for (let i = 0; i < read.length; i++) {
    for (let j = 0; j < done.length; j++) {
      if (read[i] !== done[j] || (i > 0 && j > 0 && read[i - 1] === done[j - 1])) continue;
      let length = 1;
      while (i + length < read.length && j + length < done.length && read[i + length] === done[j + length]) length += 1;
      if (length > LONGEST_FILLER || length === done.length) continue;
      const within = (words: readonly string[], from: number): string =>
        [...words.slice(0, from), SLOT, ...words.slice(from + length)].join(' ');
      found.push({ cue: within(read, i), act: within(done, j), filler: read.slice(i, i + length).join(' ') });
    }
  }
  return found;
}

/** Share of the times that a line of this form was read after which the action was done with what stood in it. */
function followed({ cue, action, done }: Draft, lines: readonly (readonly (readonly string[])[])[]): number {
  const [before = '', after = ''] = cue.split(SLOT);
  let times = 0;
  let kept = 0;
  for (const [at, acts] of lines.entries()) {
    for (const line of acts.flat()) {
      if (line.length <= before.length + after.length || !line.startsWith(before) || !line.endsWith(after)) continue;
      times += 1;
      if (done.has(`${at} ${action.replace(SLOT, line.slice(before.length, line.length - after.length))}`)) kept += 1;
    }
  }
  return times === 0 ? 0 : kept / times;
}
