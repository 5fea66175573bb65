import type { Game, Scene, World } from './world.js';

/** Another word for each word, the same one each time, and the way back: letters change places, so no word stays what it was. */
export const rename = (text: string): string =>
  text
    .replace(/[a-z]/gu, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)))
    .replace(/[A-Z]/gu, (letter) => String.fromCharCode(155 - letter.charCodeAt(0)));

/** The same games in a language that nobody speaks: who plays them as well has no word of theirs built in. */
export class RenamedWorld implements World {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async reset(game: Game): Promise<Scene> {
    return renamed(await this.#world.reset(game));
  }

  async step(action: string): Promise<Scene> {
    return renamed(await this.#world.step(rename(action)));
  }

  async gold(game: Game): Promise<readonly string[]> {
    return (await this.#world.gold(game)).map(rename);
  }

  async close(): Promise<void> {
    await this.#world.close();
  }
}

const renamed = (scene: Scene): Scene => ({
  ...scene,
  task: rename(scene.task),
  observation: rename(scene.observation),
  look: rename(scene.look),
  valid: scene.valid.map(rename),
});
