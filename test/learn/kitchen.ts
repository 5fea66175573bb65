import type { Game, Scene, World } from '../../bench/twx/world.js';

const TOOLS: Readonly<Record<string, string>> = { roast: 'oven', fry: 'stove', grill: 'barbeque' };
const CUTS = ['dice', 'slice', 'chop'] as const;

/** What is cooked, and how: each ingredient is cut one way and heated another. */
export interface Recipe {
  readonly ingredient: string;
  readonly cut: string;
  readonly heat: string;
}

interface State {
  readonly held: Set<string>;
  readonly done: Set<string>;
  outside: boolean;
  open: boolean;
  lost: boolean;
}

/**
 * A kitchen and a yard of our own in CookingWorld's words, for tests where there is no Java: the fridge is shut, the barbeque is
 * in the yard, and whoever cuts or heats otherwise than the cookbook says has lost.
 */
export class Kitchen implements World {
  readonly #recipes: readonly Recipe[];
  #state: State = fresh();

  constructor(recipes: readonly Recipe[]) {
    this.#recipes = recipes;
  }

  reset(_game: Game): Promise<Scene> {
    this.#state = fresh();
    return Promise.resolve(this.#scene(this.#look()));
  }

  step(action: string): Promise<Scene> {
    if (!this.#valid().includes(action)) return Promise.resolve(this.#scene("You can't do that."));
    return Promise.resolve(this.#scene(this.#do(action)));
  }

  gold(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #scene(observation: string): Scene {
    const { done, lost } = this.#state;
    const task = 'Cook the meal of the cookbook and eat it.';
    return { task, observation, look: this.#look(), valid: this.#valid(), score: 0, won: done.has('eat meal'), lost };
  }

  #look(): string {
    const { outside, open } = this.#state;
    if (outside) return 'You are in the backyard. You see a barbeque. To the South you see the kitchen.';
    return `You are in the kitchen. You see an oven, a stove, and ${open ? 'an open fridge' : 'a fridge that is closed'}. To the North you see the backyard.`;
  }

  #valid(): string[] {
    const { held, outside, open, done } = this.#state;
    const things = this.#recipes.map(({ ingredient }) => ingredient).filter((thing) => held.has(thing));
    const tools = outside ? ['barbeque'] : ['oven', 'stove'];
    const here = outside
      ? ['move south']
      : [
          ...[
            'move north',
            'read cookbook',
            ...(held.has('cookbook') ? [] : ['take cookbook']),
            ...(held.has('knife') ? [] : ['take knife']),
          ],
          ...(open ? ['close fridge'] : ['open fridge']),
          ...(open
            ? this.#recipes
                .map(({ ingredient }) => ingredient)
                .filter((thing) => !held.has(thing))
                .map((thing) => `take ${thing}`)
            : []),
          ...(this.#recipes.every((recipe) => done.has(cutOf(recipe)) && done.has(heatOf(recipe))) ? ['prepare meal'] : []),
        ];
    return [
      'look around',
      ...here,
      ...things.flatMap((thing) => tools.map((tool) => `cook ${thing} in ${tool}`)),
      ...things.flatMap((thing) => [...(held.has('knife') ? CUTS.map((cut) => `${cut} ${thing}`) : []), `eat ${thing}`]),
      ...(held.has('meal') ? ['eat meal'] : []),
    ].sort();
  }

  #do(action: string): string {
    const state = this.#state;
    const [verb = '', ...rest] = action.split(' ');
    const thing = rest.join(' ');
    if (action === 'read cookbook') return this.#cookbook();
    if (verb === 'move') state.outside = thing === 'north';
    if (verb === 'move' || verb === 'look') return this.#look();
    if (verb === 'open' || verb === 'close') state.open = verb === 'open';
    if (verb === 'take') state.held.add(thing);
    if (action === 'prepare meal') state.held.add('meal');
    const isMeant = this.#recipes.some((recipe) => cutOf(recipe) === action || heatOf(recipe) === action);
    if (['cook', 'eat', ...CUTS].includes(verb) && !isMeant && action !== 'eat meal') state.lost = true;
    state.done.add(action);
    return `You ${action}.`;
  }

  #cookbook(): string {
    const ingredients = this.#recipes.map(({ ingredient }) => `  ${ingredient}`);
    const directions = this.#recipes.flatMap(({ ingredient, cut, heat }) => [
      `  ${cut} the ${ingredient}`,
      `  ${heat} the ${ingredient}`,
    ]);
    return `Gather all ingredients.\n\nIngredients:\n${ingredients.join('\n')}\n\nDirections:\n${directions.join('\n')}\n  prepare meal\n`;
  }
}

const fresh = (): State => ({ held: new Set(), done: new Set(), outside: false, open: false, lost: false });
const cutOf = ({ cut, ingredient }: Recipe): string => `${cut} ${ingredient}`;
const heatOf = ({ heat, ingredient }: Recipe): string => `cook ${ingredient} in ${TOOLS[heat]}`;
