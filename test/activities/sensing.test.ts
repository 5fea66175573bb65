import assert from 'node:assert/strict';

import { MockActivityEnvironment } from '@temporalio/testing';

import type { Sensed, SenseInput } from '../../activities/contract-conversation.js';
import { createSensingActivities } from '../../activities/sensing.js';
import { SimilaritySegmenter } from '../../src/adapters/similarity-segmenter.js';
import type { OpenMemory } from '../../src/compose.js';
import { isWhole } from '../../src/domain/buffers.js';
import type { Topic } from '../../src/domain/turn.js';
import type { SensedTurn, Segmenter } from '../../src/ports/segmenter.js';
import { aTurn, freshMemory, storing } from '../support/conversations.js';

/** Cuts where it is told to, and remembers what it was shown. */
class CutsAt implements Segmenter {
  readonly name = 'cuts at';
  readonly shown: (readonly SensedTurn[])[] = [];
  readonly #starts: readonly number[];

  constructor(...starts: number[]) {
    this.#starts = starts;
  }

  starts(turns: readonly SensedTurn[]): Promise<number[]> {
    this.shown.push(turns);
    return Promise.resolve([...this.#starts]);
  }
}

const TEA = ['green tea with honey', 'black tea with honey', 'tea with lemon'];
const BIKES = ['bicycle with flat tyre', 'bicycle chain and tyre', 'bicycle tyre again'];

describe('senseTopics', () => {
  let memory: OpenMemory;
  beforeEach(async () => void (memory = await freshMemory()));

  const sense = async (segmenter: Segmenter, topic: Topic, more: Partial<SenseInput> = {}): Promise<Sensed> => {
    const { senseTopics } = createSensingActivities({ nodes: memory.nodes, segmenter });
    const input = { space: 'u1', conversation: 's1', batchId: 'b', turns: topic.turns, open: [], flush: true, ...more };
    return await new MockActivityEnvironment().run<[SenseInput], Sensed, typeof senseTopics>(senseTopics, input);
  };

  it('reads turns by id and cuts them where the segmenter says', async () => {
    const topic = await storing(
      memory,
      [...TEA, ...BIKES].map((text) => aTurn(text)),
    );
    const segmenter = new CutsAt(3);
    const { segments, rest } = await sense(segmenter, topic);
    assert.ok(isWhole(topic.turns, segments, rest));
    assert.deepEqual(
      segments.map(({ turns }) => turns.length),
      [3, 3],
    );
    assert.deepEqual(
      segmenter.shown[0]?.map(({ text }) => text),
      [...TEA, ...BIKES],
    );
  });

  it('continues an open topic by what it says, and keeps what follows the last cut unless all is to go', async () => {
    const open = await storing(
      memory,
      ['tea with milk', 'tea with sugar'].map((text) => aTurn(text)),
      { topicId: 'about tea' },
    );
    const topic = await storing(
      memory,
      [...TEA, ...BIKES].map((text) => aTurn(text)),
      { from: 2 },
    );
    const waiting = await sense(new CutsAt(3), topic, { open: [open], flush: false });
    assert.deepEqual(
      waiting.segments.map(({ joins }) => joins),
      ['about tea'],
    );
    assert.deepEqual(waiting.rest, topic.turns.slice(3));
    const whole = await sense(new CutsAt(3), topic, { open: [open] });
    assert.deepEqual(
      whole.segments.map(({ joins }) => joins),
      ['about tea', null],
    );
  });

  it('shows the segmenter what went before the buffer, and goes on with its topic unless the first turn starts one', async () => {
    const gone = await storing(
      memory,
      TEA.map((text) => aTurn(text)),
      { topicId: 'about tea' },
    );
    const topic = await storing(
      memory,
      BIKES.map((text) => aTurn(text)),
      { from: 3 },
    );
    const before = { topicId: 'about tea', turnIds: ['forgotten', ...gone.turns.map(({ turnId }) => turnId)] };
    const segmenter = new CutsAt();
    const { segments } = await sense(segmenter, topic, { before });
    assert.deepEqual(
      segments.map(({ joins, topicId, turns }) => [joins, topicId, turns.length]),
      [[null, 'about tea', 3]],
    );
    assert.deepEqual(
      segmenter.shown[0]?.map(({ text, mayOpen }) => [text, mayOpen]),
      [...TEA.map((text) => [text, false]), ...BIKES.map((text) => [text, true])],
    );
    const cut = await sense(new CutsAt(3), topic, { before });
    assert.equal(cut.segments[0]?.joins, null);
    assert.notEqual(cut.segments[0]?.topicId, 'about tea');
  });

  it('leaves a turn that was forgotten meanwhile with those before it', async () => {
    const stored = await storing(
      memory,
      [...TEA, ...BIKES].map((text) => aTurn(text)),
    );
    const gone = { turnId: 'gone', sequence: 9, tokens: 1 };
    const turns = [...stored.turns.slice(0, 2), gone, ...stored.turns.slice(2)];
    const { segments, rest } = await sense(new CutsAt(3), { topicId: '', turns });
    assert.ok(isWhole(turns, segments, rest));
    assert.deepEqual(
      segments.map(({ turns: own }) => own.length),
      [4, 3],
    );
    const none = await sense(new SimilaritySegmenter(), { topicId: '', turns: [gone] });
    assert.deepEqual(none.segments[0]?.turns, [gone]);
  });

  it('tells the segmenter who speaks, and that an answer opens no topic', async () => {
    const topic = await storing(memory, [
      aTurn('tea?', { speaker: 'Mira' }),
      aTurn('green tea', { role: 'assistant' }),
      aTurn('thanks'),
    ]);
    const segmenter = new CutsAt();
    await sense(segmenter, topic);
    assert.deepEqual(
      segmenter.shown[0]?.map(({ speaker, mayOpen }) => [speaker, mayOpen]),
      [
        ['Mira', true],
        ['assistant', false],
        ['user', true],
      ],
    );
  });
});
