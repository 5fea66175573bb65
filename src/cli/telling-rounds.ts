import { describeActs, describeEdits, type TaskResult, type Totals } from '../domain/refinement.js';
import type { StepLink } from '../domain/graph.js';
import type { RoundTold } from '../task-handle.js';
import { inBrief } from './telling-nodes.js';

/** What one round came to: links, verdict, and what was wrong. */
export function roundInWords({
  step,
  round,
  links,
  contextTokens,
  outcome,
  action,
  feedback,
  feedbackSource,
}: RoundTold): string {
  const kinds = ['semantic', 'episodic', 'procedural'] as const;
  const counts = kinds
    .map((kind) => [kind, links.filter((link) => link.kind === kind).length] as const)
    .filter(([, count]) => count > 0);
  const seen = counts.length === 0 ? 'no memory' : counts.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return [
    `step ${step} · round ${round} · ${seen} (${contextTokens} tokens) · ${outcome}`,
    ...(action === '' ? [] : [`  did: ${inBrief(action)}`]),
    ...(feedback ? [`  said by the ${feedbackSource}: ${inBrief(feedback)}`] : []),
  ].join('\n');
}

/** Why a round failed and what was edited; undefined while that is not known. */
export function repairInWords({ attribution, acts }: RoundTold): string | undefined {
  if (attribution === undefined) return undefined;
  const fault = attribution.attributed
    ? attribution.fault.replaceAll('_', ' ')
    : 'not attributed: the model gave no readable answer';
  const changed = acts.length === 0 ? '' : ` · links ${describeActs(acts)}`;
  return `  fault: ${fault} · ${describeEdits(attribution.edits)}${changed}`;
}

/** One link: the act, its score and its reason. */
export function linkInWords({ number, act, kind, score, reason, nodeId, round }: StepLink): string {
  return `${number}. ${kind} ${nodeId} · ${act} in round ${round} · ${score.toFixed(3)} ${reason.replaceAll('_', ' ')}`;
}

/** How a task ended, what it cost, and which model served. */
export function resultInWords(result: TaskResult): string {
  const { taskId, outcome, reason, answer, episodeId, steps, executions, repairs, spent, agentSpent, models, promoted } = result;
  const why = outcome === reason ? outcome : `${outcome}: ${reason.replaceAll('_', ' ')}`;
  const kept = promoted.length === 0 ? [] : [`${counted(promoted.length, 'node')} rewritten for good`];
  return [
    ...(answer === '' ? [] : ['', answer, '']),
    [
      why,
      counted(steps, 'step that went well', 'steps that went well'),
      counted(executions, 'execution'),
      counted(repairs, 'repair'),
      ...kept,
    ].join(' · '),
    `model: ${models.length === 0 ? 'none was asked' : models.join(', ')} · ${costInWords(spent, agentSpent)}`,
    `task ${taskId} · episode ${episodeId}`,
  ].join('\n');
}

function costInWords(ours: Totals, agent: Totals): string {
  const cost = ({ calls, inputTokens, outputTokens }: Totals) =>
    `${counted(calls, 'call')}, ${inputTokens}+${outputTokens} tokens`;
  return `${cost(ours)} for memory, ${cost(agent)} by the agent`;
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
