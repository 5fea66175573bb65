import assert from 'node:assert/strict';

import { permuted } from '../../bench/learn-breaking.js';
import { Player } from '../../bench/learn-player.js';
import { Random } from '../../demo/random.js';
import { rename, RenamedWorld } from '../../bench/twx/renamed.js';
import type { World } from '../../bench/twx/world.js';
import { induceProcedure } from '../../src/domain/induction.js';
import { parseProcedure, writeProcedure, type Procedure } from '../../src/domain/procedure.js';
import { Kitchen, type Recipe } from './kitchen.js';
import { recordings } from './recorded.js';

const RECIPES: readonly Recipe[] = [
  { ingredient: 'purple carrot', cut: 'dice', heat: 'grill' },
  { ingredient: 'goose egg', cut: 'slice', heat: 'fry' },
  { ingredient: 'yam', cut: 'chop', heat: 'roast' },
];
const GAME = { game: 'kitchen', params: '', seed: 1, fold: 'test' } as const;

async function winsWith(procedure: Procedure | undefined, world: World): Promise<boolean> {
  const random = new Random(7);
  const player = new Player(procedure, () => random.next());
  let scene = await world.reset(GAME);
  for (let moves = 0; moves < 80 && !scene.won && !scene.lost; moves++) scene = await world.step(player.act(scene));
  return scene.won;
}

const renamedGames = recordings.map(({ instruction, trajectory }) => ({
  instruction: rename(instruction),
  trajectory: trajectory.map(({ observation, action }) => ({ observation: rename(observation), action: rename(action) })),
}));

describe('what is induced from shown games', () => {
  it('holds which tool each direction is for, and no ingredient', () => {
    const { steps } = induceProcedure(recordings);
    const rules = new Map(steps.flatMap(({ cue, action }) => (cue === undefined ? [] : [[cue, action]])));
    assert.equal(rules.get('Ingredients: {1}'), 'take {1}');
    assert.equal(rules.get('Directions: roast the {1}'), 'cook {1} in oven');
    assert.equal(rules.get('Directions: fry the {1}'), 'cook {1} in stove');
    assert.equal(rules.get('Directions: grill the {1}'), 'cook {1} in barbeque');
    const first = steps.findIndex(({ action }) => action === 'read cookbook');
    assert.ok(
      first >= 0 && first < steps.findIndex(({ cue }) => cue !== undefined),
      'the cookbook is read before it is followed',
    );
    assert.equal(steps.at(-1)?.action, 'eat meal');
  });

  it('is the same in a language that nobody speaks', () => {
    const lines = (procedure: Procedure): string[] => procedure.steps.map(({ cue = '', action }) => `${cue}|${action}`).sort();
    const [plain, renamed] = [induceProcedure(recordings), induceProcedure(renamedGames)];
    assert.deepEqual(lines(renamed), lines(plain).map(rename).sort());
  });
});

describe('a player that knows no game', () => {
  it('wins an unseen game by what was induced from others, in any vocabulary', async () => {
    assert.equal(await winsWith(induceProcedure(recordings), new Kitchen(RECIPES)), true);
    assert.equal(await winsWith(induceProcedure(renamedGames), new RenamedWorld(new Kitchen(RECIPES))), true);
  });

  it('reads the procedure from the text that a skill is kept as', async () => {
    const text = writeProcedure(induceProcedure(recordings));
    assert.equal(await winsWith(parseProcedure(text), new Kitchen(RECIPES)), true);
  });

  it('does not win without a procedure, nor by that of another vocabulary', async () => {
    assert.equal(await winsWith(undefined, new Kitchen(RECIPES)), false);
    assert.equal(await winsWith(induceProcedure(renamedGames), new Kitchen(RECIPES)), false);
  });

  it('does not win where the means were permuted, and each cue has another action then', async () => {
    const procedure = induceProcedure(recordings);
    const broken = parseProcedure(permuted(writeProcedure(procedure)));
    const moved = broken.steps.filter(({ cue, action }, at) => cue !== undefined && action !== procedure.steps[at]?.action);
    assert.equal(moved.length, procedure.steps.filter(({ cue }) => cue?.startsWith('Directions:')).length);
    assert.equal(await winsWith(broken, new Kitchen(RECIPES)), false);
  });

  it('does what a line says by what a line like it was done by', async () => {
    const { steps, ...rest } = induceProcedure(recordings);
    const known = steps.filter(({ cue }) => cue !== 'Directions: chop the {1}');
    assert.equal(known.length, steps.length - 1);
    assert.equal(await winsWith({ steps: known, ...rest }, new Kitchen(RECIPES)), true);
  });
});
