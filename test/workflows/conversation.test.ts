import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import { EngraphClient } from '../../src/client.js';
import { LOOK_BACK } from '../../src/domain/segmentation.js';
import { rememberUpdate } from '../../workflows/messages-conversation.js';
import { conversationFakes, turnsIn } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { codeWords, nodesOf, says } from '../support/saying.js';

const SPACE = 'ann-lee';

/** Every text in a history's event, payloads decoded. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('conversationWorkflow', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('has turns recallable as soon as remember returns, before any model call, and calls none below th', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const told = await stage.client.remember(SPACE, stage.taskQueue, [
        says('I keep two herons'),
        says('Herons wade, do they not?', { role: 'assistant' }),
      ]);
      assert.deepEqual([told.stored, told.known, told.empty, told.refused], [2, 0, 0, []]);
      const [found] = await stage.client.search(SPACE, 'herons kept');
      assert.equal(found?.node.text, 'I keep two herons');
      assert.deepEqual([heard.sensed.length, heard.extracted.length], [0, 0]);
      const status = await stage.client.conversation(SPACE, stage.taskQueue).status();
      assert.deepEqual([status.turns, status.sensory.turns, status.batches], [2, 2, 0]);
    });
  });

  it('stores a message once, by its key or by role, time and content, and says which it knew', async () => {
    await withEngraph({ activities: conversationFakes().activities }, async (stage) => {
      const [said, keyed] = [says('I like oolong'), says('so do I', { key: 'm1' })];
      const first = await stage.client.remember(SPACE, stage.taskQueue, [said, keyed]);
      const second = await stage.client.remember(SPACE, stage.taskQueue, [
        said,
        says('other words under one key', { key: 'm1' }),
        says('I like oolong', { role: 'assistant' }),
      ]);
      assert.deepEqual([first.stored, second.stored, second.known], [2, 1, 2]);
      assert.deepEqual(
        second.turns.slice(0, 2).map(({ turnId }) => turnId),
        first.turns.map(({ turnId }) => turnId),
      );
      assert.deepEqual(
        (await nodesOf(stage, SPACE)).map(({ text }) => text),
        ['I like oolong', 'so do I', 'I like oolong'],
      );
    });
  });

  it('gives a call that is repeated under its name the same answer, in the same run and in a later one', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const once = async () => await stage.client.remember(SPACE, stage.taskQueue, codeWords(3), { updateId: 'call-1' });
      const first = await once();
      assert.deepEqual(await once(), first);
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.close();
      assert.deepEqual(await once(), first, 'the run that ended is asked');
      await handle.remember(codeWords(1, 9));
      assert.deepEqual(await once(), first, 'a run that knows nothing of the call still tells what it wrote');
      await handle.flush();
      assert.equal(turnsIn(heard.extracted).length, 4, 'and what was extracted is not extracted again');
      assert.equal((await nodesOf(stage, SPACE)).length, 4);
    });
  });

  it('extracts when the open topics hold th tokens, each turn once and in order, and flushes the rest', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const settings = { sensoryTokens: 20, shortTermTokens: 16 };
      await stage.client.remember(SPACE, stage.taskQueue, codeWords(11), { settings });
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await eventually(() => assert.ok(heard.published.length >= 2));
      const status = await handle.flush();
      assert.deepEqual([status.sensory.turns, status.shortTerm.turns, status.storing], [0, 0, 0]);
      assert.deepEqual([status.facts, status.batches, status.spent.calls], [11, heard.published.length, heard.published.length]);
      assert.deepEqual(
        turnsIn(heard.extracted),
        (await nodesOf(stage, SPACE)).map(({ id }) => id),
      );
    });
  });

  it("numbers turns without a gap and in each caller's order when several speak at once", async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const { temporal, memory, taskQueue } = stage;
      const callers = ['a', 'b', 'c', 'd'].map((name) => ({ name, client: new EngraphClient({ temporal, memory, taskQueue }) }));
      const settings = { sensoryTokens: 16, shortTermTokens: 16 };
      const calls = callers.flatMap(({ name, client }) =>
        Array.from({ length: 6 }, (_, at) => client.remember(SPACE, taskQueue, [says(`${name} says ${at}`)], { settings })),
      );
      assert.ok((await Promise.all(calls)).every(({ stored }) => stored === 1));
      await stage.client.conversation(SPACE, taskQueue).flush();
      const turns = await nodesOf(stage, SPACE);
      assert.deepEqual(
        turns.map(({ source }) => source.position),
        turns.map((_, at) => at),
      );
      for (const { name } of callers) {
        const own = turns.map(({ text }) => text).filter((text) => text.startsWith(`${name} `));
        assert.deepEqual(
          own,
          own.map((_, at) => `${name} says ${at}`),
        );
      }
      assert.deepEqual(
        turnsIn(heard.published),
        turns.map(({ id }) => id),
      );
      assert.equal(turns.length, 24);
    });
  });

  it('extracts by itself when nobody speaks for the idle time', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      await stage.client.remember(SPACE, stage.taskQueue, codeWords(1), { settings: { idleMs: 200 } });
      await eventually(() => assert.equal(turnsIn(heard.published).length, 1));
    });
  });

  it('parks a batch that the model refuses for good, tells the reason, and goes on', async () => {
    const refusals: unknown[] = [];
    const { activities, heard } = conversationFakes({
      extractFacts: () => {
        if (refusals.length > 0) return undefined as never;
        refusals.push(1);
        throw ApplicationFailure.create({
          type: 'llm_refused',
          message: 'no',
          nonRetryable: true,
          details: [{ spent: { calls: 1, inputTokens: 5, outputTokens: 0 } }],
        });
      },
    });
    await withEngraph({ activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.remember(codeWords(2));
      const status = await handle.flush();
      assert.deepEqual([status.parked, status.batches, status.spent.calls], [1, 0, 1]);
      assert.deepEqual(
        status.parkedBatches.map(({ kind, turns }) => [kind, turns]),
        [['llm_refused', 2]],
      );
      await handle.remember(codeWords(2, 3));
      assert.equal((await handle.flush()).batches, 1);
      assert.deepEqual([turnsIn(heard.parked).length, turnsIn(heard.published).length], [2, 2]);
    });
  });

  it('takes turns while the model does not answer', async () => {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const { activities, heard } = conversationFakes({ extractFacts: async () => (await held) as never });
    await withEngraph({ activities }, async (stage) => {
      await stage.client.remember(SPACE, stage.taskQueue, codeWords(8), { settings: { sensoryTokens: 8, shortTermTokens: 8 } });
      for (let call = 0; call < 12; call++)
        assert.equal((await stage.client.remember(SPACE, stage.taskQueue, codeWords(1, 20 + call))).stored, 1);
      assert.equal(heard.published.length, 0);
      answer();
      await stage.client.conversation(SPACE, stage.taskQueue).flush();
      assert.equal(new Set(turnsIn(heard.published)).size, 20);
    });
  });

  it('gives a model call up when its history grows long, and asks again in the next run', async () => {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    let asked = 0;
    const { activities, heard } = conversationFakes({
      extractFacts: async () => {
        asked += 1;
        if (asked === 1) await held;
        return undefined as never;
      },
    });
    await withEngraph({ activities }, async (stage) => {
      const settings = { sensoryTokens: 8, shortTermTokens: 8, mostEvents: 60 };
      await stage.client.remember(SPACE, stage.taskQueue, codeWords(8), { settings });
      await eventually(() => assert.equal(asked, 1));
      for (let call = 0; asked < 2 && call < 40; call++)
        await stage.client.remember(SPACE, stage.taskQueue, codeWords(1, 20 + call), { settings });
      await eventually(() => assert.ok(asked > 1));
      answer();
      await stage.client.conversation(SPACE, stage.taskQueue).flush();
      const turns = (await nodesOf(stage, SPACE)).map(({ id }) => id);
      assert.deepEqual([...turnsIn(heard.published)].sort(), [...turns].sort());
    });
  });

  it('shows each pass of segmentation what went before it, in a later run too', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const settings = { sensoryTokens: 20, shortTermTokens: 16 };
      for (let call = 0; call < 8; call++)
        await stage.client.remember(SPACE, stage.taskQueue, codeWords(5, 5 * call), { settings });
      await stage.client.conversation(SPACE, stage.taskQueue).flush();
      const turns = (await nodesOf(stage, SPACE)).map(({ id }) => id);
      assert.ok(heard.sensed.length > 3);
      for (const { turns: buffer, before } of heard.sensed) {
        const from = turns.indexOf(buffer[0]?.turnId ?? '');
        assert.deepEqual(before?.turnIds ?? [], turns.slice(Math.max(0, from - LOOK_BACK), from));
      }
    });
  });

  it('takes the buffer as one segment where segmentation fails for good, and says so', async () => {
    const { activities, heard } = conversationFakes({
      senseTopics: () => {
        throw ApplicationFailure.nonRetryable('no', 'embedding_model');
      },
    });
    await withEngraph({ activities }, async (stage) => {
      await stage.client.remember(SPACE, stage.taskQueue, codeWords(3));
      const status = await stage.client.conversation(SPACE, stage.taskQueue).flush();
      assert.deepEqual([status.unsegmented, turnsIn(heard.published).length], [1, 3]);
    });
  });

  it('indexes and reads only the roles it is told to, and keeps the others verbatim', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const said = [
        says('herons of mine'),
        says('herons of yours', { role: 'assistant' }),
        says('herons by tool', { role: 'tool', name: 'birds' }),
        says('Speak of herons.', { role: 'system' }),
      ];
      const told = await stage.client.remember(SPACE, stage.taskQueue, said, { settings: { read: 'user_only' } });
      assert.equal(told.stored, 4);
      await stage.client.conversation(SPACE, stage.taskQueue).flush();
      assert.equal(turnsIn(heard.published).length, 1);
      assert.deepEqual(
        (await stage.client.search(SPACE, 'herons')).map(({ node }) => node.text),
        ['herons of mine'],
      );
      assert.deepEqual(
        (await nodesOf(stage, SPACE)).map(({ role, text }) => [role, text]),
        said.map(({ role, content }) => [role, content]),
      );
    });
  });

  it('goes on from where it ended when it is opened again after a close', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.remember(codeWords(3));
      const status = await handle.close();
      assert.equal(status.facts, 3);
      assert.equal(((await stage.temporal.workflow.getHandle(handle.workflowId).result()) as { facts: number }).facts, 3);
      await assert.rejects(handle.flush(), { kind: 'not_found' });
      await handle.remember(codeWords(2, 4));
      assert.deepEqual(
        (await nodesOf(stage, SPACE)).map(({ source }) => source.position),
        [0, 1, 2, 3, 4],
      );
      await handle.close();
      assert.equal(turnsIn(heard.published).length, 5);
    });
  });

  it('parks what is buffered when it is cancelled', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.remember(codeWords(3));
      const workflow = stage.temporal.workflow.getHandle(handle.workflowId);
      await workflow.cancel();
      await assert.rejects(workflow.result(), /cancelled/iu);
      assert.deepEqual([turnsIn(heard.parked).length, heard.parked[0]?.kind], [3, 'cancelled']);
    });
  });

  it('refuses what is no turn before it stores anything, whoever sends it', async () => {
    await withEngraph({ activities: conversationFakes().activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.remember(codeWords(1));
      const raw = stage.temporal.workflow.getHandle(handle.workflowId);
      const wrong: [unknown, string][] = [
        [{ turns: 'not a list' }, 'validation'],
        [{ turns: [{ role: 'wizard', text: 'x' }] }, 'validation'],
        [{ turns: [{ role: 'user', text: 'x', at: '2024-02-30T00:00:00Z' }] }, 'bad_timestamp'],
        [{ turns: [{ role: 'user', text: 'x'.repeat(300_000) }] }, 'too_large'],
      ];
      for (const [input, kind] of wrong) {
        await assert.rejects(
          raw.executeUpdate(rememberUpdate, { args: [input as never] }),
          (error: Error) => (error.cause as ApplicationFailure).type === kind,
        );
      }
      assert.equal((await nodesOf(stage, SPACE)).length, 1);
      await assert.rejects(
        stage.client.remember(SPACE, stage.taskQueue, codeWords(1), { settings: { read: 'neither' as never } }),
        { kind: 'validation' },
      );
    });
  });

  it('keeps memory text out of its history but for the update that brings it', async () => {
    await withEngraph({ activities: conversationFakes().activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue);
      await handle.remember([says('the heron is called Ferdinand', { metadata: { note: 'Ferdinand too' } })]);
      const { runId } = await stage.temporal.workflow.getHandle(handle.workflowId).describe();
      await handle.flush();
      const { events } = await stage.temporal.workflow.getHandle(handle.workflowId, runId).fetchHistory();
      const naming = (events ?? []).filter((event) => textsIn(event).some((text) => text.includes('Ferdinand')));
      assert.equal(naming.length, 1, 'the update that was accepted');
      assert.ok(naming[0]?.workflowExecutionUpdateAcceptedEventAttributes);
    });
  });
});
