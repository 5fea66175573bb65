import type { Scene } from './twx/world.js';

/** Other tries of what changed nothing, at most: doors that are shut and opened again must not go on for ever. */
const MOST_AGAIN = 2;

/** What a player found out about where it is: places, what each allows, and where each action led. Knows no game. */
export class GameMap {
  readonly #valid = new Map<string, readonly string[]>();
  readonly #leads = new Map<string, Map<string, string>>();
  readonly #tried = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #news = new Map<string, { tries: number; fresh: number }>();
  /** What changed nothing when it was last tried there: worth another try once something was done to the same thing. */
  readonly #idle = new Map<string, Set<string>>();
  /** How often each was given that other try. */
  readonly #again = new Map<string, number>();
  #last: { readonly place: string; readonly look: string; readonly action: string } | undefined;

  /** Takes in what is seen now, as what the last action led to. */
  enter(scene: Scene): void {
    const place = placeOf(scene);
    // Closing what was opened offers another action, but nothing else to do it to.
    const things = new Set(scene.valid.map((action) => keyOf(place, action.slice(headOf(action).length))));
    const fresh = [...things].filter((thing) => !this.#seen.has(thing));
    for (const thing of fresh) this.#seen.add(thing);
    this.#valid.set(place, scene.valid);
    if (this.#last === undefined) return;
    const { place: from, action } = this.#last;
    const isIdle = from === place && scene.look === this.#last.look;
    if (from === place) this.#compare(place, action, !isIdle);
    if (isIdle) return; // says nothing of what such an action shows where it does something
    const leads = this.#leads.get(from) ?? new Map<string, string>();
    this.#leads.set(from, leads.set(action, place));
    const { tries, fresh: before } = this.#news.get(headOf(action)) ?? { tries: 0, fresh: 0 };
    this.#news.set(headOf(action), { tries: tries + 1, fresh: before + fresh.length });
  }

  #compare(place: string, action: string, changed: boolean): void {
    const idle = this.#idle.get(place) ?? new Set<string>();
    if (!changed) return void this.#idle.set(place, idle.add(action));
    for (const one of idle) {
      const key = keyOf(place, one);
      const again = this.#again.get(key) ?? 0;
      if (again >= MOST_AGAIN || !thingsOf(one).some((word) => thingsOf(action).includes(word))) continue;
      this.#again.set(key, again + 1);
      idle.delete(one);
      this.#tried.delete(key);
    }
  }

  /** Whether it changed nothing when it was last tried here, and nothing about it has changed since. */
  isIdle(scene: Scene, action: string): boolean {
    return this.#idle.get(placeOf(scene))?.has(action) ?? false;
  }

  /** Remembers that this is done next. */
  leave(scene: Scene, action: string): void {
    this.#last = { place: placeOf(scene), look: scene.look, action };
    const key = keyOf(placeOf(scene), action);
    this.#tried.set(key, (this.#tried.get(key) ?? 0) + 1);
  }

  /** How often it was tried in this place. */
  tries(scene: Scene, action: string): number {
    return this.#tried.get(keyOf(placeOf(scene), action)) ?? 0;
  }

  /** What such actions showed that was new, in the mean; hopeful about what was never tried. */
  news(action: string): number {
    const { tries, fresh } = this.#news.get(headOf(action)) ?? { tries: 0, fresh: 0 };
    return tries === 0 ? 1 : fresh / tries;
  }

  /** The first action of the shortest known way to a place that allows an action such as this; undefined where none is known. */
  wayTo(scene: Scene, isWanted: (action: string, tries: number) => boolean): string | undefined {
    const start = placeOf(scene);
    const reached = new Set([start]);
    let front: (readonly [place: string, first: string])[] = [[start, '']];
    while (front.length > 0) {
      const next: (readonly [string, string])[] = [];
      for (const [place, first] of front) {
        const wanted = (action: string): boolean => isWanted(action, this.#tried.get(keyOf(place, action)) ?? 0);
        if (first !== '' && this.#valid.get(place)?.some(wanted)) return first;
        for (const [action, to] of this.#leads.get(place) ?? []) {
          if (reached.has(to) || (first === '' && !scene.valid.includes(action))) continue;
          reached.add(to);
          next.push([to, first === '' ? action : first]);
        }
      }
      front = next;
    }
    return undefined;
  }
}

/** A place is known by the first sentence that describes it. */
const placeOf = ({ look }: Scene): string => look.split('.', 1)[0] ?? '';
const keyOf = (place: string, action: string): string => `${place}|${action}`;

/** An action's first word: what is done, whatever it is done to. */
export const headOf = (action: string): string => action.split(' ', 1)[0] ?? '';

const thingsOf = (action: string): string[] => action.split(' ').slice(1);
