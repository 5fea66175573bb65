import { EngraphError } from '../src/domain/failure.js';
import type { Act } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { Promotion, RecordInput, Recorded } from './contract.js';
import { textOf, type Memory } from './formation.js';

/**
 * Commits what a task leaves behind: its episode with the Ground edges, and the overlays of the steps that went well as new
 * versions of their nodes. Ids and tokens come from the task, so however often this runs, each is there once. A node that
 * somebody changed meanwhile keeps that change, and is told as stale.
 */
export async function commitEpisode(memory: Memory, input: RecordInput, now: Date, options: CallOptions = {}): Promise<Recorded> {
  const { space, taskId, outcome, grounded, cited, inherited = [] } = input;
  const episodeId = idOf('episode', space, taskId);
  const recordedAt = now.toISOString();
  const read = (text: Parameters<typeof textOf>[2]) => textOf(memory.texts, space, text, options);
  const instruction = await read(input.instruction);
  const trajectory: Act[] = [];
  for (const act of input.trajectory)
    trajectory.push({ observation: await read(act.observation), action: await read(act.action) });
  const feedback = await read(input.feedback);
  const episode = {
    ...{ id: episodeId, kind: 'episodic' as const, taskId, instruction, trajectory, outcome, feedback },
    ...{ feedbackSource: input.feedbackSource, repairs: input.repairs, steps: input.steps, stepLinks: input.stepLinks },
    text: episodeText(instruction, trajectory, outcome, feedback),
    edges: {
      ...(grounded.length > 0 && { groundedIn: grounded }),
      ...(cited.length > 0 && { cited }),
      ...(inherited.length > 0 && { inherited }),
    },
    ...(input.replay && { replay: input.replay }),
  };
  await memory.nodes.insert(space, [episode], { recordedAt, token: idOf('record', episodeId), ...options });

  const promoted: string[] = [];
  const stale: string[] = [];
  for (const promotion of lastOfEach(input.promotions)) {
    ((await promote(memory, space, episodeId, promotion, recordedAt, options)) ? promoted : stale).push(promotion.nodeId);
  }
  return { episodeId, promoted, stale };
}

async function promote(
  memory: Memory,
  space: string,
  episodeId: string,
  { nodeId, version, ref }: Promotion,
  recordedAt: string,
  options: CallOptions,
): Promise<boolean> {
  const text = await memory.texts.read(space, ref, options);
  try {
    await memory.nodes.revise(space, {
      nodeId,
      version,
      change: { text },
      recordedAt,
      token: idOf('promote', episodeId, nodeId),
      ...options,
    });
    return true;
  } catch (error) {
    if (error instanceof EngraphError && !error.retryable && (error.kind === 'version_conflict' || error.kind === 'not_found'))
      return false;
    throw error;
  }
}

/** A node reshaped in several steps is promoted once, as the last step that went well saw it. */
function lastOfEach(promotions: readonly Promotion[]): Promotion[] {
  return [...new Map(promotions.map((promotion) => [promotion.nodeId, promotion])).values()];
}

/** An episode as a later task reads it: what was asked, what was done, how it ended. */
export function episodeText(instruction: string, trajectory: readonly Act[], outcome: string, feedback: string): string {
  const acts = trajectory.map(({ observation, action }) =>
    observation.trim() === '' ? `Did: ${action}` : `Saw: ${observation}\nDid: ${action}`,
  );
  const ending = feedback.trim() === '' ? `Outcome: ${outcome}` : `Outcome: ${outcome}. Feedback: ${feedback}`;
  return [`Task: ${instruction}`, ...acts, ending].join('\n');
}
