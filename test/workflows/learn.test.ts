import assert from 'node:assert/strict';

import { GameAgent } from '../../bench/learn-agent.js';
import { measure } from '../../bench/learn-measure.js';
import { LearningSpace } from '../../bench/learn-space.js';
import { RulesModel } from '../../src/adapters/rules.js';
import { Kitchen } from '../learn/kitchen.js';
import { RecordedWorld, recordings } from '../learn/recorded.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';

const GAME = { game: 'kitchen', params: '', seed: 1, fold: 'test' } as const;

describe('a game learnt through tasks, sleep and retrieval', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is won by what memory says: not before it was shown how, and not by a skill that was broken', async () => {
    const kitchen = new Kitchen([
      { ingredient: 'purple carrot', cut: 'dice', heat: 'grill' },
      { ingredient: 'yam', cut: 'slice', heat: 'roast' },
    ]);
    const world = new RecordedWorld();
    const agent = new GameAgent(world);
    await withEngraph({ model: new RulesModel(), execute: agent.execute.bind(agent) }, async (stage) => {
      const memory = new LearningSpace('kitchen', { stage, agent, world });
      const won = async (): Promise<number> => (await measure(kitchen, [GAME], 11, (scene) => memory.context(scene))).won;
      assert.equal(await won(), 0, 'nothing is known yet');
      for (const game of recordings)
        assert.equal(await memory.play({ game, random: () => () => 0 }, { shown: true }), true, `game ${game.seed} is shown`);
      await memory.sleep();
      const [skill, ...others] = await memory.skills();
      assert.ok(skill && others.length === 0, 'six games of one kind give one skill');
      assert.equal(skill.edges.distilledFrom?.length, recordings.length);
      assert.equal(await won(), 1);

      await memory.rewrite(skill, (text) => text.replaceAll('oven', 'fridge').replaceAll('barbeque', 'fridge'));
      assert.equal(await won(), 0, 'what memory says is what is played');
    });
  });
});
