import { MockActivityEnvironment } from '@temporalio/testing';

import type { Formed, ModelActivities, Promotion, RoundKey, TextActivities } from '../activities/contract.js';
import type { Memory } from '../activities/formation.js';
import { claim } from '../src/domain/claim.js';
import { parseContext } from '../src/domain/context.js';
import { isOutsideMemory, type EditKind } from '../src/domain/edit.js';
import type { StepLink } from '../src/domain/graph.js';
import { applyChange, type Overlay } from '../src/domain/subgraph.js';
import { checkTask, type Task } from '../src/domain/task.js';
import type { VectorStore } from '../src/ports/vector-store.js';
import type { Texts } from '../src/store/texts.js';
import { feedbackOn, holds } from './facts.js';
import type { Question } from './questions.js';

/** How a task went in a rehearsal. */
export interface Performance {
  readonly success: boolean;
  /** Repairs that it took, or that were made in vain. */
  readonly repairs: number;
  /** The kinds of edits made, each once, in the order of their first use. */
  readonly edits: readonly EditKind[];
  readonly answers: readonly string[];
  /** Titles of the memories that the last answer cites. */
  readonly sources: readonly string[];
}

/** The activities of a task, as a worker registers them. */
export type TaskActivities = TextActivities & ModelActivities;

/** What the workflow keeps of a running step, as far as one step needs it. */
interface View {
  links: readonly StepLink[];
  context: Formed['context'];
  nextNumber: number;
  readonly tried: Set<string>;
  readonly edits: EditKind[];
  overlays: readonly Overlay[];
  readonly spans: Map<number, number>;
}

interface Given {
  readonly answer: string;
  readonly cited: readonly number[];
  readonly sources: readonly string[];
}

/** How a rehearsal is played. */
export interface PlayOptions {
  /** Edits that a repair may use; all by default. */
  readonly edits?: readonly EditKind[] | undefined;
  /** Repairs after which it is given up; as in a task by default. */
  readonly mostRepairs?: number | undefined;
  /** Whether to record the episode and promote overlays, as the workflow does at its end. */
  readonly leaveTraces?: boolean;
}

/**
 * Plays tasks through in this process with the very activities that a worker runs, so that a generator and a test can tell
 * what a task takes to succeed. A rehearsal with `leaveTraces` records its episode and its promotions as the workflow does.
 */
export class Stage {
  readonly #store: VectorStore;
  readonly #texts: Texts;
  readonly #space: string;
  readonly #activities: TaskActivities;
  readonly #environment = new MockActivityEnvironment();
  #rehearsals = 0;

  constructor(space: string, { store, texts }: Pick<Memory, 'store' | 'texts'>, activities: TaskActivities) {
    this.#store = store;
    this.#texts = texts;
    this.#space = space;
    this.#activities = activities;
  }

  /** Plays a question through. */
  async play(
    { instruction, fact }: Question,
    { edits, mostRepairs, leaveTraces = false }: PlayOptions = {},
  ): Promise<Performance> {
    const limits = mostRepairs === undefined ? {} : { maxRefinementRounds: mostRepairs };
    const task = checkTask({
      space: this.#space,
      taskId: `rehearsal ${++this.#rehearsals}`,
      instruction,
      limits,
      ...(edits && { edits }),
    });
    const view = await this.#form(task);
    const answers: string[] = [];
    let feedback: string | undefined;
    for (let round = 0; ; round++) {
      const given = await this.#execute(task, view, round, feedback);
      answers.push(given.answer);
      const success = holds(fact, given.answer);
      if (success || round === task.limits.maxRefinementRounds) {
        if (leaveTraces) await this.#record(task, view, given, { success, repairs: round });
        else await this.#sweep();
        return { success, repairs: round, edits: [...new Set(view.edits)], answers, sources: given.sources };
      }
      feedback = feedbackOn(fact, given.answer);
      await this.#refine(task, view, round, given, feedback);
    }
  }

  async #form(task: Task): Promise<View> {
    const formed = await this.#run(this.#activities.retrieve, {
      ...this.#key(task, 0),
      ...this.#asked(task),
      retrieval: task.retrieval,
      budgets: task.budgets,
    });
    const { links, context, nextNumber } = formed;
    return {
      links,
      context,
      nextNumber,
      tried: new Set(links.map(({ nodeId }) => nodeId)),
      edits: [],
      overlays: [],
      spans: new Map(),
    };
  }

  async #execute(task: Task, view: View, round: number, feedback: string | undefined): Promise<Given> {
    const context = await this.#texts.read(this.#space, view.context.ref);
    const outcome = await this.#run(this.#activities.execute, {
      ...this.#key(task, round),
      ...{ instruction: task.instruction, observation: '', history: [] },
      context,
      ...(feedback !== undefined && { feedback }),
    });
    const cited = (outcome.cited ?? []).filter((name) => typeof name === 'number');
    const sources = parseContext(context).filter(({ n }) => cited.includes(n));
    return { answer: outcome.action, cited, sources: sources.map(({ title }) => title) };
  }

  async #refine(task: Task, view: View, round: number, { answer, cited }: Given, feedback: string): Promise<void> {
    const key = this.#key(task, round);
    const attribution = await this.#run(this.#activities.attribute, {
      ...{ ...key, ...this.#asked(task), action: claim(this.#space, answer), feedback: claim(this.#space, feedback) },
      ...{ links: view.links, cited, allowed: task.edits, tried: view.edits },
    });
    if (isOutsideMemory(attribution.fault)) return;
    view.edits.push(...attribution.edits.map(({ edit }) => edit));
    for (const edit of attribution.edits) {
      const link = edit.edit === 'reshape' ? view.links.find(({ number }) => number === edit.node) : undefined;
      if (edit.edit !== 'reshape' || link === undefined) continue;
      const span = (view.spans.get(link.number) ?? 0) + 1;
      view.spans.set(link.number, span);
      const { direction } = edit;
      const { overlay } = await this.#run(this.#activities.reshape, {
        ...key,
        ...this.#asked(task),
        feedback: claim(this.#space, feedback),
        link,
        direction,
        span,
      });
      view.overlays = [
        ...view.overlays.filter(({ number }) => number !== link.number),
        { number: link.number, ref: overlay, direction },
      ];
    }
    const repaired = await this.#run(this.#activities.repair, {
      ...{ ...this.#key(task, round + 1), ...this.#asked(task), feedback: claim(this.#space, feedback) },
      ...{
        links: view.links,
        tried: [...view.tried],
        edits: attribution.edits,
        overlays: view.overlays,
        nextNumber: view.nextNumber,
      },
      ...{ retrieval: task.retrieval, budgets: task.budgets },
    });
    const { links } = applyChange(view.links, repaired, round + 1);
    for (const { nodeId } of repaired.added) view.tried.add(nodeId);
    view.overlays = view.overlays.filter(({ number }) => links.some((link) => link.number === number));
    Object.assign(view, { links, context: repaired.context, nextNumber: repaired.nextNumber });
  }

  async #record(
    task: Task,
    view: View,
    { answer, cited }: Given,
    { success, repairs }: { success: boolean; repairs: number },
  ): Promise<void> {
    const semantic = success ? view.links.filter(({ kind }) => kind === 'semantic') : [];
    await this.#run(this.#activities.record, {
      ...{ space: this.#space, taskId: task.taskId, instruction: claim(this.#space, task.instruction), steps: 1, repairs },
      trajectory: [{ observation: claim(this.#space, ''), action: claim(this.#space, answer) }],
      ...{ outcome: success ? 'succeeded' : 'failed', feedback: claim(this.#space, ''), feedbackSource: 'activity' },
      grounded: semantic.map(({ nodeId }) => nodeId),
      cited: semantic.filter(({ number }) => cited.includes(number)).map(({ nodeId }) => nodeId),
      promotions: success ? view.overlays.flatMap((overlay) => promotionOf(overlay, view.links)) : [],
      stepLinks: view.links,
    });
  }

  /** Takes away the kept contexts and answers of a rehearsal, so that the thousandth is as quick as the first. */
  async #sweep(): Promise<void> {
    const { points } = await this.#store.scan(this.#space, { filter: [{ field: 'kind', anyOf: ['record'] }], limit: 4_096 });
    await this.#store.remove(
      this.#space,
      points.map(({ id }) => id),
    );
  }

  #key(task: Task, round: number): RoundKey {
    return { space: this.#space, taskId: task.taskId, step: 0, round };
  }

  #asked({ instruction }: Task) {
    return { instruction: claim(this.#space, instruction), observation: claim(this.#space, '') };
  }

  async #run<Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> {
    return await this.#environment.run(activity, input);
  }
}

function promotionOf({ number, ref, direction }: Overlay, links: readonly StepLink[]): Promotion[] {
  const link = links.find((one) => one.number === number);
  return link === undefined ? [] : [{ nodeId: link.nodeId, version: link.version, ref, direction }];
}
