import { loadConfig } from '../../src/config.js';
import { trainGame } from './games.js';
import { ensureTextWorld } from './install.js';
import { TextWorld } from './world.js';

/** Prints games of the easy train fold as the game itself solves them, one a line: what the tests without Java learn from. */
const config = loadConfig();
const world = new TextWorld(await ensureTextWorld(config), config.python);
try {
  for (const seed of process.argv.slice(2).map(Number)) {
    const game = trainGame('easy', seed);
    const moves = await world.gold(game);
    let scene = await world.reset(game);
    const trajectory: { observation: string; action: string }[] = [];
    for (const action of moves) {
      trajectory.push({ observation: scene.observation, action });
      scene = await world.step(action);
    }
    console.log(JSON.stringify({ ...game, instruction: scene.task, trajectory, outcome: scene.won ? 'succeeded' : 'failed' }));
  }
} finally {
  await world.close();
}
