import { idOf } from './id.js';
import type { ConversationStatus } from './conversation.js';
import { LOOK_BACK } from './segmentation.js';
import type { Preceding, Topic, TurnRef } from './turn.js';

/** A piece of the sensory buffer to be cut into topics. */
export interface SensoryPass {
  readonly turns: readonly TurnRef[];
  /** Nothing is to wait behind the last cut. */
  readonly flush: boolean;
}

/** One segment as the sensory stage cut it. */
export interface Segment {
  readonly turns: readonly TurnRef[];
  readonly joins: string | null;
  readonly topicId: string;
}

export const tokensIn = (turns: readonly TurnRef[]): number => turns.reduce((sum, { tokens }) => sum + tokens, 0);

export const tokensOpen = (open: readonly Topic[]): number => open.reduce((sum, { turns }) => sum + tokensIn(turns), 0);

/** Whether one of these turns comes before the sequence. */
export const isBefore = (turns: readonly TurnRef[], sequence: number): boolean => turns.some((turn) => turn.sequence < sequence);

/** The oldest turns that fill the buffer; where they don't, all of them if those before `flushTo` must go on; else nothing is due. */
export function nextPass(sensory: readonly TurnRef[], capacity: number, flushTo: number): SensoryPass | undefined {
  let tokens = 0;
  const full = sensory.findIndex((turn) => (tokens += turn.tokens) >= capacity);
  if (full >= 0) return { turns: sensory.slice(0, full + 1), flush: false };
  return isBefore(sensory, flushTo) ? { turns: sensory, flush: true } : undefined;
}

/** Whether segments and rest together are these turns, each once and in order. */
export function isWhole(turns: readonly TurnRef[], segments: readonly Segment[], rest: readonly TurnRef[]): boolean {
  const placed = [...segments.flatMap((segment) => segment.turns), ...rest];
  return placed.length === turns.length && placed.every(({ turnId }, at) => turnId === turns[at]?.turnId);
}

/** The open topics with one segment more: joined to the topic it continues, where that is open still, else a topic of its own. */
export function join(
  open: readonly Topic[],
  { turns, joins, topicId }: Segment,
): { readonly open: readonly Topic[]; readonly topic: Topic } {
  const before = open.find((topic) => topic.topicId === joins) ?? open.find((topic) => topic.topicId === topicId);
  const topic = { topicId: before?.topicId ?? topicId, turns: [...(before?.turns ?? []), ...turns] };
  return { open: [...open.filter((one) => one !== before), topic], topic };
}

/** What stands before the buffer once these turns of a topic have left it: as many as the score of a gap looks back. */
export const precedingFrom = (before: Preceding | undefined, topicId: string, turns: readonly TurnRef[]): Preceding => ({
  topicId,
  turnIds: [...(before?.turnIds ?? []), ...turns.map(({ turnId }) => turnId)].slice(-LOOK_BACK),
});

/** Topics as the numbered sections of a model call: in the order of their first turn. */
export const inOrder = (topics: readonly Topic[]): Topic[] =>
  [...topics].sort((a, b) => (a.turns[0]?.sequence ?? 0) - (b.turns[0]?.sequence ?? 0));

/** Names a batch by the turns in it, so that any attempt in any run says the same. */
export const batchIdOf = (space: string, conversation: string, topics: readonly Topic[]): string =>
  idOf('batch', space, conversation, ...topics.flatMap(({ turns }) => turns.map(({ turnId }) => turnId)));

/** A conversation's status as a Markdown table for the workflow's current details. No memory text. */
export function statusTable(status: ConversationStatus): string {
  const { sensory, shortTerm, spent } = status;
  const rows = [
    ['turns stored', status.turns],
    ['sensory buffer', `${sensory.turns} turns, ${sensory.tokens} tokens`],
    ['open topics', `${shortTerm.topics}, ${shortTerm.turns} turns, ${shortTerm.tokens} tokens`],
    ['batches extracted', status.batches],
    ['facts', status.facts],
    ['topic summaries', status.summaries],
    ['batches parked', status.parked === 0 ? 0 : `${status.parked} (${status.parkedBatches.map(({ kind }) => kind).join(', ')})`],
    ['model calls', `${spent.calls}, ${spent.inputTokens} tokens in, ${spent.outputTokens} out`],
  ];
  return [
    `**${status.closing ? 'closing' : 'open'}**`,
    '',
    '| | |',
    '| --- | --- |',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
  ].join('\n');
}
