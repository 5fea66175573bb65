import { linesRead, type Procedure, type ProcedureStep } from '../src/domain/procedure.js';
import { GameMap, headOf } from './learn-map.js';
import { fill, fit } from './learn-slots.js';
import type { Scene } from './twx/world.js';

/** After so many tries of everything that could lead to what a step needs, the step is left out. */
const TRIES = 3;
/** Less news than this from a kind of action, in the mean, and it is tried last. */
const LITTLE_NEWS = 0.2;
/** A way taken so often from one place leads nowhere: what the map says of it is no longer so. */
const FAR = 8;

/**
 * A player that knows no game. It can read lines, put what it read into a procedure's slots, do a step when the game allows it,
 * and look for what is missing by what the procedure does on the way, least-tried first. Without a procedure it tries whatever it
 * has tried least. Chance decides between equals only; `random` gives numbers from 0 up to 1.
 */
export class Player {
  readonly #procedure: Procedure | undefined;
  readonly #random: () => number;
  /** What to do for each line that was read, in the order of reading. */
  readonly #read = new Map<string, readonly Told[]>();
  readonly #done = new Set<string>();
  readonly #map = new GameMap();

  constructor(procedure: Procedure | undefined, random: () => number) {
    this.#procedure = procedure;
    this.#random = random;
  }

  /** What to do now. */
  act(scene: Scene): string {
    const { steps } = this.#procedure ?? { steps: [] };
    for (const line of linesRead(scene.observation)) if (!this.#read.has(line)) this.#read.set(line, toldBy(line, steps));
    this.#map.enter(scene);
    const action = this.#procedure === undefined ? this.#leastTried(scene, scene.valid) : this.#follow(this.#procedure, scene);
    this.#map.leave(scene, action);
    return action;
  }

  #follow(procedure: Procedure, scene: Scene): string {
    for (;;) {
      const wanted = this.#wanted(procedure);
      const action = [...this.#asRead(procedure.steps), ...wanted].find((one) => scene.valid.includes(one));
      if (action !== undefined) {
        this.#done.add(action);
        return action;
      }
      const passing = wanted.filter(onTheWay(procedure));
      for (const one of passing) this.#done.add(one);
      if (passing.length > 0) continue;
      const way = this.#explore(procedure, scene, wanted);
      if (way !== undefined) return way;
      if (wanted.length === 0) return this.#leastTried(scene, scene.valid);
      for (const one of wanted) this.#done.add(one);
    }
  }

  /** Towards a place that allows what is wanted, else to what was never tried here, elsewhere, then to what told little so far. */
  #explore(procedure: Procedure, scene: Scene, wanted: readonly string[]): string | undefined {
    const known = this.#map.wayTo(scene, (action) => wanted.includes(action));
    if (known !== undefined && this.#map.tries(scene, known) < FAR) return known;
    const ways = [onTheWay(procedure), inItsManner(procedure)];
    for (const isWay of ways) {
      const promising = (action: string, tries: number): boolean =>
        isWay(action) && tries === 0 && this.#map.news(action) > LITTLE_NEWS;
      const here = scene.valid.filter((action) => promising(action, this.#map.tries(scene, action)));
      if (here.length > 0) return this.#leastTried(scene, here);
      const elsewhere = this.#map.wayTo(scene, promising);
      if (elsewhere !== undefined && this.#map.tries(scene, elsewhere) < FAR) return elsewhere;
    }
    for (const isWay of ways) {
      const untired = this.#untired(scene, isWay).filter((action) => this.#map.news(action) > LITTLE_NEWS);
      if (untired.length > 0) return this.#leastTried(scene, untired);
    }
    const rest = this.#untired(scene, onTheWay(procedure));
    return rest.length === 0 ? undefined : this.#leastTried(scene, rest);
  }

  #untired(scene: Scene, isWay: (action: string) => boolean): string[] {
    return scene.valid.filter(
      (action) => isWay(action) && this.#map.tries(scene, action) < TRIES && !this.#map.isIdle(scene, action),
    );
  }

  /** The next step's action, or those of all the steps with cues that stand together, as what was read orders them. */
  #wanted({ steps }: Procedure): string[] {
    const together: ProcedureStep[] = [];
    for (const step of steps) {
      if (step.cue !== undefined) together.push(step);
      else if (!this.#done.has(step.action)) {
        const wanted = this.#asRead(together);
        if (wanted.length > 0) return wanted;
        return [step.action];
      }
    }
    return this.#asRead(together);
  }

  /** What is still to do by these steps for the lines that were read, in their order: for each thing only what comes next. */
  #asRead(steps: readonly ProcedureStep[]): string[] {
    const waiting = new Set<string>();
    return [...this.#read.values()].flatMap((told) => {
      const due = told.filter(({ step, action }) => steps.includes(step) && !this.#done.has(action));
      const next = due.filter(({ thing }) => !waiting.has(thing));
      for (const { thing } of due) waiting.add(thing);
      return next.map(({ action }) => action);
    });
  }

  #leastTried(scene: Scene, actions: readonly string[]): string {
    const times = actions.map((action) => this.#map.tries(scene, action));
    const least = Math.min(...times);
    const equals = actions.filter((_, at) => times[at] === least);
    return equals[Math.floor(this.#random() * equals.length)] ?? '';
  }
}

/** What a line tells to do, by which step, and what with. */
interface Told {
  readonly step: ProcedureStep;
  readonly action: string;
  readonly thing: string;
}

/** By the steps whose cues the line fits; where it fits none, by those that have a cue like it. */
function toldBy(line: string, steps: readonly ProcedureStep[]): readonly Told[] {
  const exact = steps.flatMap((step) => tellsBy(line, step, step));
  return exact.length > 0 ? exact : steps.flatMap((step) => alike(step).flatMap((other) => tellsBy(line, step, other)));
}

function tellsBy(line: string, step: ProcedureStep, { cue, action }: ProcedureStep): Told[] {
  const values = cue === undefined ? undefined : fit(cue, line);
  return values === undefined ? [] : [{ step, action: fill(action, values), thing: values.get('1') ?? '' }];
}

/** The step with any word that its cue and its action share left open: where `dice the {1}` means dice, another word may mean itself. */
function alike({ cue = '', action }: ProcedureStep): ProcedureStep[] {
  const done = action.split(' ');
  const words = new Set(cue.split(' ').filter((word) => /^\p{L}+$/u.test(word) && done.includes(word)));
  const open = (text: string, word: string): string =>
    text
      .split(' ')
      .map((one) => (one === word ? '{word}' : one))
      .join(' ');
  return [...words].map((word) => ({ cue: open(cue, word), action: open(action, word) }));
}

/** What begins as something that is done on the way: what was opened there is not what is to be opened here. */
function onTheWay({ onTheWay: ways }: Procedure): (action: string) => boolean {
  const heads = new Set(ways.map(headOf));
  return (action) => heads.has(headOf(action));
}

/** Actions that begin as several of the procedure's own do: what it does with many things may be done with one more. */
function inItsManner({ steps }: Procedure): (action: string) => boolean {
  const heads = steps.filter(({ cue }) => cue === undefined).map(({ action }) => headOf(action));
  return (action) => heads.filter((head) => head === headOf(action)).length > 1;
}
