import { readFileSync } from 'node:fs';

import { EDIT_KINDS, type EditKind } from '../src/domain/edit.js';
import { deepChanges } from './changes.js';
import type { DemoDocument } from './corpus.js';
import { mentions } from './facts.js';
import type { InstalledPackage } from './packages.js';
import { questionAboutChange, questionAboutSize, questionsAbout, looseQuestions, type Question } from './questions.js';
import type { Random } from './random.js';
import type { Performance, PlayOptions, Stage } from './rehearsal.js';

/** What a task is there to show. */
export type Role = 'plain' | 'expand' | 'prune' | 'reshape' | 'person' | 'impossible';

/** One task of the demo, and what its rehearsal promises. */
export interface DemoTask {
  readonly taskId: string;
  readonly role: Role;
  readonly question: Question;
  readonly promised: Performance;
}

/** In the order in which they run: easy ones between those that have to repair, the one that can't succeed last. */
const ROLES: readonly Role[] = ['plain', 'expand', 'plain', 'prune', 'reshape', 'person', 'expand', 'plain', 'impossible'];

/** The rare ones choose first. */
const RARITY: readonly Role[] = ['reshape', 'prune', 'expand', 'person', 'plain', 'impossible'];

/** Draws that may be thrown away because an earlier task's traces changed how a later one goes. */
const MOST_DRAWS = 8;

/** Tasks that take more repairs than these are true to life, but tedious to watch. */
const FEW_REPAIRS: Readonly<Record<Role, number | undefined>> = {
  ...{ plain: 0, expand: 2, prune: 3, reshape: 3, person: 2 },
  impossible: undefined,
};

/** All edits but one. */
export const without = (edit: EditKind): EditKind[] => EDIT_KINDS.filter((one) => one !== edit);

interface Candidate {
  readonly package: string;
  readonly question: Question;
}

/**
 * Draws the demo's tasks over documents that were learned. Each is played through before it is taken: one that is to show an
 * edit succeeds with it and fails when it is switched off. The whole list is then played in its order, with the episodes and
 * promotions it leaves, and a task that those change is replaced. Fails where the installed packages don't give them all.
 */
export async function drawTasks(
  documents: readonly DemoDocument[],
  packages: readonly InstalledPackage[],
  random: Random,
  openStage: () => Promise<Stage>,
): Promise<DemoTask[]> {
  const casting = new Casting(candidates(documents, packages, random), await openStage());
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const tasks = await casting.cast();
    const changed = await dressRehearsal(tasks, await openStage());
    if (changed === undefined) return tasks;
    casting.refuse(changed.question);
  }
  throw new NothingFits('the tasks drawn influence each other');
}

/** The documents that were learned do not give every kind of task. */
export class NothingFits extends Error {}

/** Fills the roles from candidates, remembering how each played. */
class Casting {
  readonly #candidates: Readonly<Record<Role, readonly Candidate[]>>;
  readonly #stage: Stage;
  readonly #played = new Map<string, Promise<Performance>>();
  readonly #refused = new Set<string>();

  constructor(byRole: Readonly<Record<Role, readonly Candidate[]>>, stage: Stage) {
    this.#candidates = byRole;
    this.#stage = stage;
  }

  refuse({ instruction }: Question): void {
    this.#refused.add(instruction);
  }

  async cast(): Promise<DemoTask[]> {
    const taken = new Set<string>();
    const cast = new Map<number, DemoTask>();
    const places = ROLES.map((role, at) => ({ role, at })).sort((a, b) => RARITY.indexOf(a.role) - RARITY.indexOf(b.role));
    for (const { role, at } of places) {
      const { package: name, question, promised } = await this.#firstFit(role, taken);
      taken.add(name);
      cast.set(at, { taskId: `${at + 1}-${role}`, role, question, promised });
    }
    return ROLES.map((_, at) => cast.get(at) as DemoTask);
  }

  /** The first that fits in few repairs, else the first that fits at all. */
  async #firstFit(role: Role, taken: ReadonlySet<string>): Promise<Candidate & { readonly promised: Performance }> {
    const free = this.#candidates[role].filter((one) => !taken.has(one.package) && !this.#refused.has(one.question.instruction));
    for (const mostRepairs of new Set([FEW_REPAIRS[role], undefined])) {
      for (const candidate of free) {
        const promised = await this.#play(candidate.question, { mostRepairs });
        if (await this.#fits(role, candidate, promised)) return { ...candidate, promised };
      }
    }
    throw new NothingFits(`none of ${free.length} questions about what was learned shows what "${role}" is to show`);
  }

  async #fits(
    role: Role,
    { package: name, question }: Candidate,
    { success, repairs, edits, sources }: Performance,
  ): Promise<boolean> {
    // Right by a document of another package is right by chance.
    if (success && !sources.every((title) => title.startsWith(`${name}: `))) return false;
    switch (role) {
      case 'plain':
        return success && repairs === 0;
      case 'person':
        return success && repairs > 0;
      case 'impossible':
        return !success;
      case 'expand':
      case 'prune':
      case 'reshape':
        return (
          success &&
          edits.includes(role) &&
          (role === 'prune' || edits.length === 1) &&
          !(await this.#play(question, { edits: without(role) })).success
        );
    }
  }

  async #play(question: Question, options: PlayOptions = {}): Promise<Performance> {
    const key = JSON.stringify([question.instruction, options]);
    const playing = this.#played.get(key) ?? this.#stage.play(question, options);
    this.#played.set(key, playing);
    return await playing;
  }
}

/** Questions for each role in a drawn order; only those whose answer stands in what was learned, but for the impossible one. */
function candidates(
  documents: readonly DemoDocument[],
  all: readonly InstalledPackage[],
  random: Random,
): Record<Role, Candidate[]> {
  const texts = new Map<string, string>();
  for (const { package: name, text } of documents) if (name !== undefined) texts.set(name, `${texts.get(name) ?? ''}\n${text}`);
  const learned = random.shuffled(all.filter(({ name }) => texts.has(name)));
  const ask = (questions: (one: InstalledPackage) => readonly Question[]): Candidate[] =>
    learned.flatMap((one) => random.shuffled(questions(one)).map((question) => ({ package: one.name, question })));
  const answered = (found: readonly Candidate[]): Candidate[] =>
    found.filter((one) => mentions(one.question.fact, texts.get(one.package) ?? ''));
  const named = answered(ask((one) => questionsAbout(one, all)));
  const loose = answered(ask((one) => looseQuestions(one, all)));
  return {
    ...{
      plain: random.shuffled([...named, ...loose]),
      expand: random.shuffled(named),
      person: random.shuffled([...named, ...loose]),
    },
    prune: random.shuffled(loose),
    reshape: answered(ask(changeQuestions)),
    impossible: ask((one) => [questionAboutSize(one)]),
  };
}

function changeQuestions(one: InstalledPackage): Question[] {
  if (one.changes === undefined) return [];
  return deepChanges(readFileSync(one.changes, 'utf8'), one.version).map((change) => questionAboutChange(one, change));
}

/** Plays all tasks in their order with the traces they leave; the first that goes otherwise than promised, if one does. */
async function dressRehearsal(tasks: readonly DemoTask[], stage: Stage): Promise<DemoTask | undefined> {
  for (const task of tasks) {
    const played = await stage.play(task.question, { leaveTraces: true });
    if (JSON.stringify(played) !== JSON.stringify(task.promised)) return task;
  }
  return undefined;
}
