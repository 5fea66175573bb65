import assert from 'node:assert/strict';

import { GameAgent } from '../../bench/learn-agent.js';
import type { ExecuteInput } from '../../src/domain/agent.js';
import { serialiseContext } from '../../src/domain/context.js';
import { Kitchen } from './kitchen.js';

const SKILL = ['1. read cookbook', '2. take knife', '3. look around'].join('\n');
const { text: context } = serialiseContext([{ n: 1, id: 'skill', kind: 'procedural', title: 'a trial skill', text: SKILL }]);
const GAME = { game: 'kitchen', params: '', seed: 1, fold: 'test' } as const;

const asked = (given: Partial<ExecuteInput> = {}): ExecuteInput => ({
  ...{ space: 's', taskId: 'a', step: 0, round: 0, instruction: '', observation: '', context, history: [] },
  ...given,
});

describe('the agent that plays games as tasks', () => {
  const agentOf = (): GameAgent => {
    const agent = new GameAgent(new Kitchen([{ ingredient: 'yam', cut: 'dice', heat: 'roast' }]));
    const assignment = { game: GAME, random: () => () => 0 };
    agent.assign('a', assignment);
    agent.assign('b', { ...assignment, shown: ['take cookbook', 'eat cookbook'] });
    return agent;
  };

  it('follows the first skill of its context, a move a step', async () => {
    const agent = agentOf();
    assert.equal((await agent.execute(asked())).action, 'read cookbook');
    const second = await agent.execute(asked({ step: 1 }));
    assert.deepEqual([second.action, second.status, second.observation], ['take knife', 'continue', 'You take knife.']);
  });

  it('gives a repeated call the answer that it got, and moves once', async () => {
    const agent = agentOf();
    const first = await agent.execute(asked());
    assert.deepEqual(await agent.execute(asked()), first);
    assert.equal((await agent.execute(asked({ step: 1 }))).action, 'take knife');
  });

  it('plays two tasks in turns, each in its own game', async () => {
    const agent = agentOf();
    const [one, two] = await Promise.all([agent.execute(asked()), agent.execute(asked({ taskId: 'b' }))]);
    assert.deepEqual([one.action, two.action], ['read cookbook', 'take cookbook']);
    assert.equal((await agent.execute(asked({ step: 1 }))).action, 'take knife');
    assert.match((await agent.execute(asked({ taskId: 'b', step: 1 }))).observation ?? '', /can't/u);
  });

  it('plays by memory what is done again, though it was shown the first time', async () => {
    const again = await agentOf().execute(asked({ taskId: 'replay 1', replayOf: 'b' }));
    assert.equal(again.action, 'read cookbook');
  });

  it('refuses a task that no game was assigned to', async () => {
    await assert.rejects(agentOf().execute(asked({ taskId: 'c' })), { kind: 'validation', message: /"c"/u });
  });
});
