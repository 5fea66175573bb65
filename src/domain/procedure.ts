/** One line of a procedure: an action, or an action for each line of what was read that fits the cue. */
export interface ProcedureStep {
  readonly action: string;
  /** A line with a slot `{1}`, after its heading where it stands under one; the action is done once for each thing that stood there. */
  readonly cue?: string;
}

/** A skill as people read it and as an agent without a language model can follow it (docs/skills.md). */
export interface Procedure {
  /** What the tasks it was drawn from asked for, by which it is found. */
  readonly tasks: readonly string[];
  /** In order. Steps with cues that follow each other belong together: the lines that were read give their order. */
  readonly steps: readonly ProcedureStep[];
  /** What was done in between to find what a step needs, the most frequent first. */
  readonly onTheWay: readonly string[];
}

/** The slot of a cue and its action. */
export const SLOT = '{1}';

const TASK = /^for tasks like: (.+)$/iu;
const NUMBERED = /^\s*\d+[.)]\s+(.+)$/u;
const FOR_EACH = /^for each "(.+)": (.+)$/iu;
const ON_THE_WAY = /^on the way, as needed: (.+)$/iu;

/** The procedure as text, one step a line. */
export function writeProcedure({ tasks, steps, onTheWay }: Procedure): string {
  return [
    ...tasks.map((task) => `For tasks like: ${oneLine(task)}`),
    ...steps.map(({ action, cue }, at) => `${at + 1}. ${cue === undefined ? '' : `for each "${cue}": `}${oneLine(action)}`),
    ...(onTheWay.length === 0 ? [] : [`On the way, as needed: ${onTheWay.join('; ')}`]),
  ].join('\n');
}

/** The procedure that a text holds; lines that are none of it are passed over, so a text that is no procedure has no steps. */
export function parseProcedure(text: string): Procedure {
  const tasks: string[] = [];
  const steps: ProcedureStep[] = [];
  const onTheWay: string[] = [];
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    const [task, way, step] = [TASK, ON_THE_WAY, NUMBERED].map((form) => form.exec(line)?.[1]?.trim());
    const [, cue, action] = FOR_EACH.exec(step ?? '') ?? [];
    if (task !== undefined) tasks.push(task);
    else if (way !== undefined) onTheWay.push(...way.split(';').map((one) => one.trim()));
    else if (cue !== undefined && action !== undefined) steps.push({ cue, action });
    else if (step !== undefined) steps.push({ action: step });
  }
  return { tasks, steps, onTheWay };
}

/** What was read, line by line without blank ones; a line under a heading (a line that ends in a colon) comes after it. */
export function linesRead(text: string): string[] {
  const lines: string[] = [];
  let heading = '';
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '') heading = '';
    else if (line.endsWith(':')) heading = line;
    else lines.push(heading === '' ? line : `${heading} ${line}`);
  }
  return lines;
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
