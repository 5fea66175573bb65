import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { RulesModel } from '../src/adapters/rules.js';
import type { Config } from '../src/config.js';
import { differences } from './checks.js';
import type { DemoDocument } from './corpus.js';
import type { DemoTask } from './draw.js';
import { holds } from './facts.js';
import { activitiesOf, type ActivityRecord } from './history.js';
import { killAmid, type Killed } from './killing.js';
import { openDemo, type OpenDemo } from './opening.js';
import { installedPackages } from './packages.js';
import { startTask, type Played } from './playing.js';
import { prepare } from './prepare.js';
import { repairInWords, reportOf, type DemoReport, type TaskReport } from './report.js';
import { short, type Teller } from './telling.js';
import { openStage } from './understudy.js';
import type { WorkerProcess } from './worker-process.js';

const PROJECT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Documents learned at once: enough to keep two cores busy. */
const LEARN_AT_ONCE = 4;

/** Tasks in which the worker may be killed, the first in which an activity is caught at work: those that have rounds to come. */
const KILL_IN: ReadonlySet<DemoTask['role']> = new Set(['expand', 'prune', 'reshape', 'impossible']);

export interface DemoOptions {
  readonly seed: number;
  readonly config: Config;
  /** Environment of the worker processes. */
  readonly workerEnv: NodeJS.ProcessEnv;
}

/** Learns, draws, runs and checks; says what it does as it goes. Rejects where a part of it can't be had. */
export async function runDemo(options: DemoOptions, teller: Teller): Promise<DemoReport> {
  let last = '';
  const told = {
    onLine: (line: string) => teller.point('Set up', line),
    onProgress: ({ what, phase }: { what: string; phase: string }) => {
      const line = `${what}: ${phase}`;
      if (phase !== 'ready' && line !== last) teller.point('Set up', line);
      last = line;
    },
  };
  const demo = await openDemo(options.config, options.workerEnv, told);
  try {
    return await new Run(demo, options, teller).play();
  } finally {
    await demo.close();
  }
}

class Run {
  readonly #demo: OpenDemo;
  readonly #seed: number;
  readonly #teller: Teller;
  readonly #space: string;
  readonly #differences: string[] = [];
  #chunks = 0;
  #worker: WorkerProcess | undefined;
  #killed: (Killed & { resumed: ActivityRecord[] }) | undefined;

  constructor(demo: OpenDemo, { seed }: DemoOptions, teller: Teller) {
    this.#demo = demo;
    this.#seed = seed;
    this.#teller = teller;
    // Fresh, so that every run learns, fails and repairs by itself.
    this.#space = `demo-${seed}-${new Date().toISOString().replace(/\W|\.\d+Z$/gu, '')}-${process.pid}`;
  }

  async play(): Promise<DemoReport> {
    const worker = await this.#startWorker();
    this.#teller.point('Model', worker.model);
    const packages = installedPackages(resolve(PROJECT, 'node_modules'));
    const { store, embedder } = this.#demo.memory;
    const { documents, tasks } = await prepare({
      ...{ seed: this.#seed, project: PROJECT, packages },
      learn: (some) => this.#learn(some),
      openStage: () => openStage(store, this.#space, embedder, new RulesModel()),
    });
    this.#teller.point('Draw', `${tasks.length} tasks by seed ${this.#seed}, each rehearsed with the rules model`);
    if (!this.#isRehearsed)
      this.#teller.point('', `${worker.model} may go other ways: only what holds for every model is checked`);
    this.#teller.line();
    const reports: TaskReport[] = [];
    for (const task of tasks) reports.push(await this.#perform(task));
    if (this.#killed === undefined)
      this.#differences.push('the worker was to be killed in the middle of a task, and no activity was caught in it');
    return {
      ...{
        seed: this.#seed,
        space: this.#space,
        model: worker.model,
        documents: documents.length,
        chunks: this.#chunks,
        tasks: reports,
      },
      ...(this.#killed && { killed: this.#killed }),
      differences: this.#differences,
    };
  }

  /** Whether the model that serves is the one that rehearsed. */
  get #isRehearsed(): boolean {
    return this.#demo.config.llm.kind === 'rules';
  }

  async #startWorker(): Promise<WorkerProcess> {
    this.#worker = await this.#demo.startWorker();
    return this.#worker;
  }

  async #learn(documents: readonly DemoDocument[]): Promise<void> {
    const began = Date.now();
    const waiting = [...documents];
    let chunks = 0;
    let done = 0;
    const learnSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { document, title, text } = next;
        const learned = await this.#demo.client.learn(this.#space, { document, title, text });
        chunks += learned.chunks;
        this.#teller.progress('Learn', ++done, documents.length, 'documents');
      }
    };
    await Promise.all(Array.from({ length: LEARN_AT_ONCE }, learnSome));
    const packages = new Set(documents.flatMap((one) => one.package ?? [])).size;
    const own = documents.some((one) => one.package === undefined) ? ' and Engraph itself' : ' more';
    this.#teller.point(
      'Learn',
      `${documents.length} documents in ${chunks} chunks, about ${packages} installed packages${own} (${seconds(began)})`,
    );
    this.#chunks += chunks;
  }

  async #perform(task: DemoTask): Promise<TaskReport> {
    const { client, judge, judgeQueue } = this.#demo;
    this.#teller.point(task.taskId, task.question.instruction);
    const before = task.role === 'impossible' ? await this.#memoryHash() : undefined;
    const playing = await startTask(client, judge, this.#space, judgeQueue, task);
    const killedHere = await this.#killIfDue(task, playing.handle.workflowId, playing.isOver);
    const played = await playing.played;
    const activities = await activitiesOf(this.#demo.temporal, played.workflowId);
    if (killedHere) this.#tellResumed(activities);
    this.#tellRounds(played);
    const memoryUnchanged = before === undefined ? {} : { memoryUnchanged: before === (await this.#memoryHash()) };
    const evidence = {
      activities,
      episodes: await this.#episodesOf(task),
      answerHolds: holds(task.question.fact, played.result.answer),
      ...memoryUnchanged,
    };
    this.#differences.push(...differences(played, evidence, this.#isRehearsed));
    return reportOf(played);
  }

  async #killIfDue({ role }: DemoTask, workflowId: string, isOver: () => boolean): Promise<boolean> {
    const worker = this.#worker;
    if (this.#killed !== undefined || worker === undefined || !KILL_IN.has(role)) return false;
    const killed = await killAmid(this.#demo.temporal, workflowId, worker, isOver);
    if (killed === undefined) return false;
    this.#killed = { ...killed, resumed: [] };
    this.#teller.point('', `✂ worker ${killed.pid} killed (SIGKILL) in the middle of \`${killed.activity}\`; starting another`);
    await this.#startWorker();
    return true;
  }

  #tellResumed(activities: readonly ActivityRecord[]): void {
    const resumed = activities.filter(({ attempt }) => attempt > 1);
    this.#killed?.resumed.push(...resumed);
    const kept = activities.length - resumed.length;
    const again = resumed.map(({ activity, attempt }) => `\`${activity}\` in attempt ${attempt}`).join(', ');
    this.#teller.point(
      '',
      `↻ worker ${this.#worker?.pid} went on: ${again || 'nothing had to be done again'}; ${kept} activities ran once`,
    );
    if (resumed.length === 0) this.#differences.push('the activity that ran in the killed worker was not done again');
  }

  #tellRounds({ task, told, result }: Played): void {
    const who = task.role === 'person' ? 'person' : 'judge';
    for (const { round, action, outcome, feedback, attribution, acts } of told.rounds) {
      this.#teller.point('', `round ${round}  ${outcome === 'failed' ? '✗' : '✓'} ${short(action, 60)}`);
      if (outcome === 'failed' && feedback) this.#teller.point('', `           ${who}: ${short(feedback, 100)}`);
      if (attribution)
        this.#teller.point(
          '',
          `           fault: ${attribution.fault.replaceAll('_', ' ')} → ${repairInWords(
            attribution.edits.map(({ edit }) => edit),
            acts,
          )}`,
        );
    }
    this.#teller.point('', `${result.outcome} after ${result.repairs} repair${result.repairs === 1 ? '' : 's'}`);
    this.#teller.line();
  }

  async #episodesOf({ taskId }: DemoTask): Promise<number> {
    const { store } = this.#demo.memory;
    return await store.count(this.#space, [
      { field: 'kind', anyOf: ['episodic'] },
      { field: 'taskId', anyOf: [taskId] },
    ]);
  }

  async #memoryHash(): Promise<string> {
    return await this.#demo.client.exportHash(this.#space, ['semantic', 'procedural']);
  }
}

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(0)} s`;
