import type { SelfRecall } from '../domain/sleep.js';
import type { SkillsReport } from '../domain/skills.js';
import type { SleepProgress, SleepResult } from '../domain/sleep-result.js';
import { VERDICTS } from '../domain/update-queue.js';
import type { Difference } from '../sleep-differences.js';

/** What a sleep has come to, for a person. */
export function sleepInWords(
  { runId, dryRun, seconds, parked, reconcile, skills, spent, end }: SleepResult | SleepProgress,
  differences?: readonly Difference[],
): string {
  const models = reconcile === undefined || reconcile.models.length === 0 ? '' : ` (${reconcile.models.join(', ')})`;
  return [
    `sleep ${runId}${dryRun ? ', a dry run: nothing was changed' : ''}`,
    ...(parked === undefined || parked.batches === 0
      ? []
      : [`${parked.batches} parked batches tried again: ${parked.facts} facts, ${parked.still} wait on`]),
    ...(reconcile === undefined ? [] : reconcileInWords(reconcile, dryRun)),
    ...(skills === undefined ? [] : skillsInWords(skills)),
    ...(differences === undefined ? [] : ['', differencesInWords(differences), '']),
    `${spent.calls} model calls${models}, ${spent.inputTokens} tokens in, ${spent.outputTokens} out, ${seconds} s${ENDS[end ?? 'done'] ?? ''}`,
  ].join('\n');
}

const ENDS: Readonly<Record<string, string>> = {
  done: '',
  tokens: '; ended early: the budget of tokens is used up',
  time: '; ended early: the time is used up',
  stopped: '; ended early: it was told to stop',
  halted: '; ended early: the model refuses everything (see the queues left)',
};

function reconcileInWords(report: NonNullable<SleepResult['reconcile']>, dryRun: boolean): string[] {
  const { fresh, queues, targets, cut, mergedWithoutModel, verdicts, refused, revised, retired, inserted, left, undone } = report;
  const given = VERDICTS.filter((verdict) => verdicts[verdict] > 0).map((verdict) => `${verdicts[verdict]} ${verdict}`);
  const kinds = [...new Set(left.map(({ kind }) => kind))].join(', ');
  return [
    `${counted(fresh, 'fresh fact')}, ${counted(queues, 'update queue')} with ${counted(targets, 'target')}${cut > 0 ? `, ${cut} links left to the next sleep` : ''}`,
    `${mergedWithoutModel} merged without a model; verdicts: ${given.join(', ') || 'none'}`,
    ...(dryRun ? [] : [`${revised} facts revised, ${retired} retired, ${inserted} new`]),
    ...(refused.length > 0
      ? [`refused of the model's answers: ${refused.slice(0, 5).join(', ')}${refused.length > 5 ? ', …' : ''}`]
      : []),
    ...(left.length > 0 ? [`${left.length} queues left to the next sleep (${kinds})`] : []),
    ...(report.before === undefined ? [] : [recallInWords(report.before, report.after)]),
    ...(undone ? ['recall fell, so that all of it was undone'] : []),
  ];
}

function skillsInWords({ episodes, joined, clusters, waiting, induced, revised, ripened, left }: SkillsReport): string[] {
  const fates = (['mature', 'trial', 'retired'] as const).flatMap((fate) => {
    const count = ripened.filter(({ lifecycle }) => lifecycle === fate).length;
    return count === 0 ? [] : [`${count} ${fate}`];
  });
  return [
    `${counted(episodes, 'new episode')}: ${joined} joined a skill, ${counted(clusters, 'cluster')} of others, ${waiting} wait`,
    `${counted(induced.length, 'new skill')}, ${revised.length} revised; ripened: ${fates.join(', ') || 'none'}`,
    ...(left.length > 0
      ? [`${counted(left.length, 'skill')} left to the next sleep (${[...new Set(left.map(({ kind }) => kind))].join(', ')})`]
      : []),
  ];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function recallInWords(before: SelfRecall, after: SelfRecall | undefined): string {
  const share = ({ recall10 }: SelfRecall): string => `${(100 * recall10).toFixed(1)} %`;
  return `facts found by their turns: ${share(before)} of ${before.sampled}${after === undefined ? '' : ` before, ${share(after)} after`}`;
}

const differencesInWords = (differences: readonly Difference[]): string =>
  differences.length === 0 ? 'nothing was changed' : differences.map(differenceInWords).join('\n');

function differenceInWords({ act, before, after, heir, why }: Difference): string {
  switch (act) {
    case 'insert':
      return `+ ${after ?? ''}`;
    case 'revise':
      return before === after ? `~ ${after ?? ''} (gains sources or links)` : `~ ${before ?? ''}\n  -> ${after ?? ''}`;
    case 'retire':
      return `- ${before ?? ''} (${why ?? ''}${heir === undefined ? '' : `: ${heir}`})`;
  }
}

/** `1 day`, `90 minutes`. */
export function durationInWords(ms: number): string {
  for (const [unit, each] of [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const) {
    if (ms % each === 0) return `${ms / each} ${unit}${ms === each ? '' : 's'}`;
  }
  return `${ms} ms`;
}
