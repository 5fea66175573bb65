import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver } from '../../src/compose.js';
import type { ReconcileInput, ReconcileReply } from '../../src/prompts/inputs-reconcile.js';
import type { NewNode } from '../../src/store/nodes.js';
import { aFact } from '../support/nodes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'lanes';
const PEOPLE = ['Mira', 'Tobin', 'Ansel', 'Greta', 'Pavel', 'Ines'];
const SEQUELS = ['lives in Lisbon', 'lives in Porto now', 'lives in Porto', 'has a cat', 'lives in Oslo', 'has a grey cat'];

/** Facts of people that repeat, replace and complete each other, a day after the other, all of them fresh. */
const FACTS = SEQUELS.flatMap((said, day) =>
  PEOPLE.map((who, hour): NewNode => {
    const validFrom = new Date(Date.UTC(2024, 0, 1 + day, hour)).toISOString();
    return { ...aFact(`${who} ${said}`, { validFrom }), speaker: who, status: 'fresh' };
  }),
);

/** Judges by what is shown alone, after a while that is never the same. */
function judging(waitMs: (asked: number) => number): ScriptedModel {
  return new ScriptedModel({
    reconcile: async (prompt: { input: ReconcileInput }, asked: number): Promise<ReconcileReply> => {
      await wait(waitMs(asked));
      const { fact, memories } = prompt.input;
      const verdicts = memories.map(({ n, text }): ReconcileReply['verdicts'][number] => {
        const both = [text, fact.text].map((one) => one.includes(' lives in '));
        if (both[0] && both[1]) return { n, verdict: 'supersede', text: null };
        return both[0] === both[1] ? { n, verdict: 'merge', text: fact.text } : { n, verdict: 'keep', text: null };
      });
      return { reason: 'r', verdicts };
    },
  });
}

describe('the lanes of a sleep', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('come to the same end, however many they are and in whatever order they are done', async () => {
    const ends: { hash: string; calls: number; texts: string[] }[] = [];
    for (const [lanes, waitMs] of [
      [1, () => 0],
      [2, (asked: number) => (asked * 37) % 90],
      [8, (asked: number) => (asked * 53) % 120],
    ] as const) {
      const memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
      const model = judging(waitMs);
      await withEngraph({ memory, model }, async ({ client }) => {
        await memory.nodes.insert(SPACE, FACTS, { recordedAt: '2026-01-01T00:00:00.000Z', token: 'facts' });
        const { reconcile } = await client.sleep(SPACE, { phases: ['reconcile'], reconcile: { lanes, gate: false } });
        assert.deepEqual([reconcile?.fresh, reconcile?.left], [FACTS.length, []]);
        const texts: string[] = [];
        for await (const { text } of memory.nodes.scan(SPACE)) texts.push(text);
        ends.push({ hash: await client.exportHash(SPACE), calls: model.asked.length, texts: texts.sort() });
      });
    }
    const [one, two, eight] = ends;
    assert.deepEqual(two, one);
    assert.deepEqual(eight, one);
    assert.deepEqual(one?.texts, PEOPLE.flatMap((who) => [`${who} has a grey cat`, `${who} lives in Oslo`]).sort());
  });
});
