import assert from 'node:assert/strict';

import { Context } from '@temporalio/activity';

import { EngraphClient } from '../../src/client.js';
import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js';
import { parseContext } from '../../src/domain/context.js';
import { EngraphError } from '../../src/domain/failure.js';
import type { EpisodicNode } from '../../src/domain/graph.js';
import type { TaskRequest } from '../../src/domain/task.js';
import type { AttributionInput } from '../../src/prompts/inputs.js';
import { aChunk, remembering } from '../support/builders.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { ScriptedModel } from '../support/scripted-model.js';

const SPACE = 'ann-lee';

const aTask = (taskId: string, more: Partial<TaskRequest> = {}): TaskRequest => ({
  ...{ space: SPACE, taskId, instruction: 'Which licence has the heron package?' },
  ...more,
});

const expandAlways = () =>
  new ScriptedModel({ attribution: () => ({ reason: 'r', fault: 'missing_knowledge', edits: [{ edit: 'expand' }] }) });

/** An agent that succeeds as soon as its context holds these words. */
function needing(words: string, calls: ExecuteInput[]): (input: ExecuteInput) => ExecuteOutcome {
  return (input) => {
    calls.push(input);
    if (input.context.includes(words)) return { action: words, status: 'succeeded', cited: [] };
    return { action: 'no idea', status: 'failed', feedback: 'look for the paragraph about wading birds and their legal terms' };
  };
}

/** Five chunks that the instruction's words find, and three that only the feedback's words do. */
async function aLibrary({ memory }: Stage): Promise<void> {
  const near = [
    'heron package readme',
    'heron package licence question',
    'which heron package',
    'the heron package has',
    'licence which has package heron',
  ];
  const far = ['wading birds: paragraph of legal terms MIT-LIKE', 'birds wading in a paragraph', 'legal paragraph about terms'];
  await remembering(
    memory,
    SPACE,
    ...[...near, ...far].map((text, position) => aChunk(text, { document: `d${position}.md`, position })),
  );
}

/** Every text of a history's event, payloads decoded. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

async function episodeOf({ memory }: Stage, space = SPACE): Promise<EpisodicNode> {
  const episodes: EpisodicNode[] = [];
  for await (const node of memory.nodes.scan(space, { kinds: ['episodic'] })) episodes.push(node as EpisodicNode);
  assert.equal(episodes.length, 1, 'one task leaves one episode');
  return episodes[0] as EpisodicNode;
}

describe('taskWorkflow', () => {
  before(startEnvironment);
  after(stopEnvironment);

  it('succeeds at round 0 with one call of execute and no model call, and leaves an episode grounded in what was shown', async () => {
    const calls: ExecuteInput[] = [];
    await withEngraph({ execute: needing('heron', calls), model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t1', { agent: stage.agent }));
      assert.equal(result.outcome, 'succeeded');
      assert.deepEqual([calls.length, result.executions, result.repairs, result.spent.calls], [1, 1, 0, 0]);
      const episode = await episodeOf(stage);
      const shown = parseContext(calls[0]?.context ?? '').map(({ id }) => id);
      assert.deepEqual([...(episode.edges.groundedIn ?? [])].sort(), [...shown].sort());
      assert.equal(shown.length, 5);
    });
  });

  it("succeeds at round k with k + 1 calls, each carrying task, step and round, using the first failure's feedback", async () => {
    const calls: ExecuteInput[] = [];
    const model = expandAlways();
    await withEngraph({ execute: needing('MIT-LIKE', calls), model }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t2', { agent: stage.agent }));
      assert.deepEqual([result.outcome, result.executions, result.repairs], ['succeeded', 2, 1]);
      assert.deepEqual(
        calls.map(({ taskId, step, round }) => [taskId, step, round]),
        [
          ['t2', 0, 0],
          ['t2', 0, 1],
        ],
      );
      assert.equal(calls[0]?.feedback, undefined);
      assert.match(calls[1]?.feedback ?? '', /wading birds/);
      const asked = model.asks('attribution').map(({ input }) => (input as AttributionInput).feedback);
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? '', /wading birds/);
      const { rounds } = await stage.client.task(SPACE, 't2').rounds();
      assert.deepEqual(
        rounds.map(({ round, outcome, acts }) => [round, outcome, acts.length]),
        [
          [0, 'failed', 3],
          [1, 'succeeded', 0],
        ],
      );
    });
  });

  it('fails honestly after five repairs, six calls, and leaves semantic and procedural memory as it was', async () => {
    const calls: ExecuteInput[] = [];
    await withEngraph({ execute: needing('not to be found anywhere', calls), model: expandAlways() }, async (stage) => {
      await aLibrary(stage);
      const before = await stage.client.exportHash(SPACE, ['semantic', 'procedural']);
      const result = await stage.client.runTask(aTask('t3', { agent: stage.agent }));
      assert.deepEqual([result.outcome, result.reason, result.executions, result.repairs], ['failed', 'rounds_exhausted', 6, 5]);
      assert.equal(await stage.client.exportHash(SPACE, ['semantic', 'procedural']), before);
      const episode = await episodeOf(stage);
      assert.equal(episode.outcome, 'failed');
      assert.deepEqual(episode.edges, {});
      const expanded = episode.stepLinks.filter(({ act }) => act === 'expands').map(({ nodeId }) => nodeId);
      const activated = episode.stepLinks.filter(({ act }) => act === 'activates').map(({ nodeId }) => nodeId);
      assert.equal(
        new Set([...expanded, ...activated]).size,
        expanded.length + activated.length,
        'expand adds nothing tried before',
      );
    });
  });

  it('never edits memory for a fault of a tool, and tries the same context again', async () => {
    const calls: ExecuteInput[] = [];
    const execute = (input: ExecuteInput): ExecuteOutcome => {
      calls.push(input);
      return input.round === 0
        ? { action: '', status: 'failed', fault: 'tool', feedback: 'the tool timed out' }
        : { action: 'done', status: 'succeeded' };
    };
    await withEngraph({ execute, model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t4', { agent: stage.agent }));
      assert.deepEqual([result.outcome, result.executions, result.spent.calls], ['succeeded', 2, 0]);
      assert.equal(calls[1]?.context, calls[0]?.context);
    });
  });

  it('goes on with an expand named unattributed after one repair request when the attribution cannot be read', async () => {
    const model = new ScriptedModel({ attribution: () => 'I would rather not say', repair_reply: () => 'really not' });
    await withEngraph({ execute: needing('MIT-LIKE', []), model }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t5', { agent: stage.agent }));
      assert.equal(result.outcome, 'succeeded');
      assert.deepEqual([model.asks('attribution').length, model.asks('repair_reply').length, result.spent.calls], [1, 1, 2]);
      const { rounds } = await stage.client.task(SPACE, 't5').rounds();
      assert.equal(rounds[0]?.attribution?.attributed, false);
      assert.deepEqual(rounds[0]?.attribution?.edits, [{ edit: 'expand' }]);
    });
  });

  it('refuses numbers the model was never shown, and prunes step links only', async () => {
    const model = new ScriptedModel({
      attribution: () => ({ reason: 'r', fault: 'noise', edits: [{ edit: 'prune', nodes: [2, 99] }] }),
    });
    const calls: ExecuteInput[] = [];
    const execute = (input: ExecuteInput): ExecuteOutcome => {
      calls.push(input);
      return input.round === 0
        ? { action: 'x', status: 'failed', feedback: 'mixed up' }
        : { action: 'y', status: 'succeeded', cited: [1, 77] };
    };
    await withEngraph({ execute, model }, async (stage) => {
      await aLibrary(stage);
      const before = await stage.client.exportHash(SPACE, ['semantic', 'procedural']);
      await stage.client.runTask(aTask('t6', { agent: stage.agent, retrieval: { pruneBelow: -1 } }));
      const { rounds } = await stage.client.task(SPACE, 't6').rounds();
      assert.deepEqual(rounds[0]?.attribution?.refused, [99]);
      assert.deepEqual(
        rounds[0]?.acts.map(({ act, number, reason }) => [act, number, reason]),
        [['prunes', 2, 'off_topic']],
      );
      assert.deepEqual(rounds[1]?.unknownCitations, ['77']);
      assert.equal(parseContext(calls[1]?.context ?? '').length, 4);
      assert.equal(await stage.client.exportHash(SPACE, ['semantic', 'procedural']), before);
    });
  });

  it('shows a reshaped node as an overlay, never nested, and promotes it only when the task succeeds', async () => {
    const texts: string[] = [];
    const script = () =>
      new ScriptedModel({
        attribution: () => ({ reason: 'r', fault: 'granularity', edits: [{ edit: 'reshape', node: 1, direction: 'finer' }] }),
        reshape: (prompt, call) => {
          texts.push((prompt as { input: { text: string } }).input.text);
          return { text: `finer ${call}` };
        },
      });
    const execute =
      (wanted: string) =>
      (input: ExecuteInput): ExecuteOutcome =>
        input.context.includes(wanted)
          ? { action: 'ok', status: 'succeeded', cited: [1] }
          : { action: 'no', status: 'failed', feedback: 'too coarse' };
    await withEngraph({ execute: execute('finer 2'), model: script() }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t7', { agent: stage.agent }));
      assert.deepEqual([result.outcome, result.repairs, result.promoted.length], ['succeeded', 3, 1]);
      assert.equal(new Set(texts).size, 1, 'each reshape starts from the node itself');
      const node = await stage.client.show(SPACE, result.promoted[0] ?? '');
      assert.deepEqual([node.text, node.version], ['finer 2', 2]);
    });
    await withEngraph({ execute: execute('never'), model: script() }, async (stage) => {
      await aLibrary(stage);
      const before = await stage.client.exportHash(SPACE, ['semantic']);
      const result = await stage.client.runTask(aTask('t8', { agent: stage.agent, limits: { maxRefinementRounds: 2 } }));
      assert.deepEqual([result.outcome, result.promoted], ['failed', []]);
      assert.equal(await stage.client.exportHash(SPACE, ['semantic']), before);
    });
  });

  it("waits for a person's judgement, refuses one for another round, and ends when none comes in time", async () => {
    const execute = (input: ExecuteInput): ExecuteOutcome => ({ action: `answer ${input.round}`, status: 'succeeded' });
    await withEngraph({ execute, model: expandAlways() }, async (stage) => {
      await aLibrary(stage);
      const handle = await stage.client.startTask(aTask('t9', { agent: stage.agent, judge: { by: 'human' } }));
      await eventually(async () => assert.equal((await handle.rounds()).status, 'awaiting_judgement'));
      await assert.rejects(handle.judge({ success: true, round: 4 }), { kind: 'validation' });
      assert.deepEqual(await handle.judge({ success: false, feedback: 'wading birds' }), { step: 0, round: 0 });
      await eventually(async () => assert.deepEqual((await handle.rounds()).current, { step: 0, round: 1 }));
      await eventually(async () => assert.equal((await handle.rounds()).status, 'awaiting_judgement'));
      await handle.judge({ success: true });
      const result = await handle.result();
      assert.deepEqual([result.outcome, result.answer], ['succeeded', 'answer 1']);
      assert.equal((await episodeOf(stage)).feedbackSource, 'human');
      const late = await stage.client.runTask(aTask('t10', { agent: stage.agent, judge: { by: 'human', timeoutMs: 50 } }));
      assert.deepEqual([late.outcome, late.reason], ['failed', 'judge_timeout']);
    });
  });

  it("lets an activity of the caller's judge, without showing its reference to the agent", async () => {
    const calls: ExecuteInput[] = [];
    const judgeWork = ({ action }: { action: string }) => ({
      success: action === 'MIT-LIKE',
      feedback: 'look at the legal terms of wading birds',
    });
    const execute = (input: ExecuteInput): ExecuteOutcome => {
      calls.push(input);
      return { action: input.context.includes('MIT-LIKE') ? 'MIT-LIKE' : 'unsure', status: 'succeeded' };
    };
    await withEngraph({ execute, judgeWork, model: expandAlways() }, async (stage) => {
      await aLibrary(stage);
      const judge = { by: 'activity', taskQueue: stage.agentQueue, activity: 'judgeWork' } as const;
      const result = await stage.client.runTask(aTask('t11', { agent: stage.agent, judge }));
      assert.deepEqual([result.outcome, result.executions], ['succeeded', 2]);
      assert.equal((await episodeOf(stage)).feedbackSource, 'activity');
    });
  });

  it('keeps the fused order, marked unverified, when the verify call fails for good', async () => {
    const model = new ScriptedModel({
      relevance: () => {
        throw new EngraphError('llm_rejected', 'no');
      },
    });
    await withEngraph({ execute: needing('heron', []), model }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t12', { agent: stage.agent, retrieval: { mode: 'verified' } }));
      assert.equal(result.outcome, 'succeeded');
      const { rounds } = await stage.client.task(SPACE, 't12').rounds();
      assert.deepEqual([...new Set(rounds[0]?.links.map(({ reason }) => reason))], ['unverified']);
    });
  });

  it('verifies a short list in one model call and keeps what the model finds relevant', async () => {
    const model = new ScriptedModel({
      relevance: (prompt) => {
        const { candidates } = (prompt as { input: { candidates: { n: number; text: string }[] } }).input;
        return { scores: candidates.map(({ n, text }) => ({ n, score: text.includes('MIT-LIKE') ? 1 : 0 })) };
      },
    });
    await withEngraph({ execute: needing('MIT-LIKE', []), model }, async (stage) => {
      await aLibrary(stage);
      const retrieval = { mode: 'verified', llmWeight: 50 } as const;
      const result = await stage.client.runTask(aTask('t13', { agent: stage.agent, retrieval }));
      assert.deepEqual([result.outcome, result.executions, model.asks('relevance').length], ['succeeded', 1, 1]);
    });
  });

  it('records a cancelled task as cancelled, with what there was of it', async () => {
    // Goes on until its worker stops: what cancels the task does not wait for it.
    const execute = async (): Promise<ExecuteOutcome> => await Context.current().cancelled;
    await withEngraph({ execute, model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const handle = await stage.client.startTask(aTask('t14', { agent: { ...stage.agent, timeoutMs: 3_000 } }));
      await eventually(async () => assert.deepEqual((await handle.rounds()).current, { step: 0, round: 0 }));
      await handle.cancel();
      const result = await handle.result();
      assert.deepEqual([result.outcome, result.reason], ['cancelled', 'cancelled']);
      assert.equal((await episodeOf(stage)).outcome, 'cancelled');
    });
  });

  it('goes through several steps, each with its own subgraph, and tells in a receipt which node led to which', async () => {
    const execute = ({ step, observation, history }: ExecuteInput): ExecuteOutcome => {
      assert.equal(history.length, step);
      assert.equal(observation, step === 0 ? 'a door' : `room ${step}`);
      return step === 2
        ? { action: 'eat', status: 'succeeded' }
        : { action: 'go', status: 'continue', observation: `room ${step + 1}`, cited: [1] };
    };
    await withEngraph({ execute, model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const result = await stage.client.runTask(aTask('t15', { agent: stage.agent, observation: 'a door' }));
      assert.deepEqual([result.outcome, result.steps, result.executions], ['succeeded', 3, 3]);
      const receipt = await stage.client.task(SPACE, 't15').receipt();
      assert.deepEqual(
        receipt.map(({ step, round, nodes }) => [step, round, nodes.filter(({ cited }) => cited).length]),
        [
          [0, 0, 1],
          [1, 0, 1],
          [2, 0, 0],
        ],
      );
      const { trajectory } = await episodeOf(stage);
      assert.deepEqual(
        trajectory.map(({ observation, action }) => [observation, action]),
        [
          ['a door', 'go'],
          ['room 1', 'go'],
          ['room 2', 'eat'],
        ],
      );
      const limited = await stage.client.runTask(
        aTask('t16', { agent: stage.agent, observation: 'a door', limits: { steps: 2 } }),
      );
      assert.deepEqual([limited.outcome, limited.reason], ['failed', 'steps_exhausted']);
    });
  });

  it('goes on without whoever started it: another client that starts the same id while it runs is given its result', async () => {
    let calls = 0;
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const execute = async (): Promise<ExecuteOutcome> => {
      calls += 1;
      await asked;
      return { action: 'done', status: 'succeeded' };
    };
    await withEngraph({ execute, model: new ScriptedModel({}) }, async (stage) => {
      await stage.client.startTask(aTask('t21', { agent: stage.agent }));
      await eventually(() => assert.equal(calls, 1));
      const other = new EngraphClient({ temporal: stage.temporal, memory: stage.memory, taskQueue: stage.taskQueue });
      const found = await other.startTask(aTask('t21', { agent: stage.agent }));
      answer();
      assert.equal((await found.result()).answer, 'done');
      assert.equal(calls, 1);
    });
  });

  it('returns the first result when a finished task is started again', async () => {
    const calls: ExecuteInput[] = [];
    await withEngraph({ execute: needing('heron', calls), model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const first = await stage.client.runTask(aTask('t17', { agent: stage.agent }));
      const second = await stage.client.runTask(aTask('t17', { agent: stage.agent }));
      assert.deepEqual(second, first);
      assert.equal(calls.length, 1);
    });
  });

  it('inherits skills that the nearest episodes led to, and those found by their own text', async () => {
    const calls: ExecuteInput[] = [];
    await withEngraph({ execute: needing('heron', calls), model: new ScriptedModel({}) }, async (stage) => {
      await aLibrary(stage);
      const { episodeId } = await stage.client.runTask(aTask('t18', { agent: stage.agent }));
      const skill = { kind: 'procedural', lifecycle: 'trial', edges: {} } as const;
      await remembering(
        stage.memory,
        SPACE,
        { ...skill, id: 'a0000000-0000-5000-8000-000000000001', text: 'zzz qqq', edges: { distilledFrom: [episodeId] } },
        { ...skill, id: 'a0000000-0000-5000-8000-000000000002', text: 'which licence has the heron package' },
        { ...skill, id: 'a0000000-0000-5000-8000-000000000003', text: 'which licence has a retired skill', lifecycle: 'retired' },
      );
      await stage.client.runTask(aTask('t19', { agent: stage.agent }));
      const { rounds } = await stage.client.task(SPACE, 't19').rounds();
      const inherited = rounds[0]?.links.filter(({ kind }) => kind !== 'semantic').map(({ kind, reason }) => [kind, reason]);
      assert.deepEqual(inherited, [
        ['episodic', 'nearest_episode'],
        ['procedural', 'distilled'],
        ['procedural', 'direct'],
      ]);
      assert.match(calls[1]?.context ?? '', /<procedural_memory>/);
    });
  });

  it("holds memory text in history only in execute's own input and outcome", async () => {
    const model = expandAlways();
    await withEngraph({ execute: needing('MIT-LIKE', []), model }, async (stage) => {
      await aLibrary(stage);
      await stage.client.runTask(aTask('t20', { agent: stage.agent }));
      const { events = [] } = await stage.temporal.workflow.getHandle(stage.client.task(SPACE, 't20').workflowId).fetchHistory();
      const holding = (words: string) => events?.filter((event) => textsIn(event).some((text) => text.includes(words)));
      const inputs = holding('heron package readme')?.map(
        ({ activityTaskScheduledEventAttributes }) => activityTaskScheduledEventAttributes?.activityType?.name,
      );
      assert.deepEqual([...new Set(inputs)], ['execute']);
      assert.equal(
        holding('paragraph about wading birds')?.length,
        2,
        'the feedback: in the outcome of round 0 and the input of round 1',
      );
    });
  });
});
