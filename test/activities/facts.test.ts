import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import { serialiseContext } from '../../src/domain/context.js';
import type { OpenMemory } from '../../src/compose.js';
import type { VectorStore } from '../../src/ports/vector-store.js';
import type { FactsInput } from '../../src/prompts/inputs-facts.js';
import { Drafts } from '../../src/store/drafts.js';
import { Facts } from '../../src/store/facts.js';
import { NodeStore } from '../../src/store/nodes.js';
import { Parked } from '../../src/store/parked.js';
import { aBatch, aTurn, CUTTING, extracted, factActivities, factsReply, freshMemory, storing } from '../support/conversations.js';
import { remembering } from '../support/builders.js';
import { aFact } from '../support/nodes.js';
import { ScriptedModel } from '../support/scripted-model.js';

const answering = (...replies: readonly unknown[]) => new ScriptedModel({ facts: (_, call) => replies[call] ?? replies.at(-1) });
const ofKind = (kind: string) => (error: unknown) => error instanceof ApplicationFailure && error.type === kind;

describe('facts', () => {
  let memory: OpenMemory;
  beforeEach(async () => {
    memory = await freshMemory();
  });

  it("become nodes with a Source edge to their turn, its speaker and role, the time of the event, and the caller's metadata apart", async () => {
    const topic = await storing(memory, [aTurn('I got ferrets last week.', { speaker: 'Mira', metadata: { app: 'diary' } })]);
    const { extractFacts, publishFacts } = factActivities(memory, {
      model: answering(factsReply([{ text: 'Mira got two ferrets', when: 'last week' }])),
    });
    const told = await extractFacts(aBatch([topic]));
    assert.deepEqual([told.facts, told.summaries, told.refused, told.unplaced, told.spent.calls], [1, 1, [], 0, 1]);
    assert.deepEqual(await publishFacts(aBatch([topic])), { facts: 1, summaries: 1 });

    const [fact] = await extracted(memory);
    const turnId = topic.turns[0]?.turnId ?? '';
    assert.deepEqual(fact?.edges, { derivedFrom: [turnId] });
    assert.deepEqual(fact?.source, { conversation: 's1', turns: [turnId], position: 0 });
    assert.deepEqual([fact?.speaker, fact?.role, fact?.topic, fact?.status], ['Mira', 'user', 'topic', 'fresh']);
    assert.equal(fact?.validFrom, '2023-12-25T00:00:00.000Z');
    assert.deepEqual(fact?.metadata, { app: 'diary' });

    const [summary] = await extracted(memory, 'summary');
    assert.deepEqual([summary?.text, summary?.source.title, summary?.edges], ['About pets.', 'Pets', { derivedFrom: [turnId] }]);
  });

  it('mark the topic of their turns in place', async () => {
    const topic = await storing(memory, [aTurn('I keep two ferrets.')]);
    const { extractFacts, publishFacts } = factActivities(memory, { model: answering(factsReply([])) });
    await extractFacts(aBatch([topic]));
    await publishFacts(aBatch([topic]));
    const [turn] = await memory.nodes.read('u1', [topic.turns[0]?.turnId ?? '']);
    assert.ok(turn?.kind === 'semantic' && turn.topic === 'topic' && turn.version === 1);
    assert.equal((await memory.recall.search('u1', 'ferrets', { forms: ['turn'] })).length, 1, 'it is found as before');
  });

  it('are said when their turn was, where the words name no other time', async () => {
    const topic = await storing(memory, [aTurn('I liked tea when I was small.')]);
    const { extractFacts, publishFacts } = factActivities(memory, {
      model: answering(factsReply([{ text: 'likes tea', when: 'when I was small' }])),
    });
    await extractFacts(aBatch([topic]));
    await publishFacts(aBatch([topic]));
    assert.equal((await extracted(memory))[0]?.validFrom, '2024-01-05T10:00:00.000Z');
  });

  it('have no time that their turn does not tell, and are no questions: both are refused and told', async () => {
    const topic = await storing(memory, [aTurn('I bought some tea yesterday.'), aTurn('I like it.')]);
    const { extractFacts, publishFacts } = factActivities(memory, {
      model: answering(
        factsReply([
          { turn: 1, text: 'bought tea', when: 'Yesterday' },
          { turn: 2, text: 'likes tea', when: 'last week' },
          { turn: 2, text: 'likes it', when: '2023-12-24' },
          { turn: 1, text: 'the tea was bought yesterday', when: 'Fri 2024-01-05 10:00' },
          { turn: 2, text: 'Do you like it?' },
        ]),
      ),
    });
    assert.deepEqual((await extractFacts(aBatch([topic]))).refused, ['time of turn 2', 'time of turn 1', 'question of turn 2']);
    await publishFacts(aBatch([topic]));
    assert.deepEqual(
      (await extracted(memory)).map(({ validFrom }) => validFrom?.slice(0, 10)),
      ['2024-01-04', '2024-01-05', '2024-01-05', '2024-01-04'],
      'of a refused time nothing stays; what the fact itself says counts',
    );
  });

  it('under numbers never shown are kept with their whole section as source, and the numbers are told', async () => {
    const pets = await storing(memory, [aTurn('I keep two ferrets.'), aTurn('And a cat.')], { topicId: 'pets' });
    const food = await storing(memory, [aTurn('I like soup.')], { from: 2, topicId: 'food' });
    const reply = {
      topics: [
        ...factsReply([
          { turn: 7, text: 'keeps a cat' },
          { turn: null, text: 'keeps ferrets' },
          { turn: 3, text: 'likes soup' },
        ]).topics,
        ...factsReply([{ turn: 2, text: 'has a cat' }], 9).topics,
        ...factsReply([{ turn: 1, text: 'owns ferrets' }]).topics,
      ],
    };
    const { extractFacts, publishFacts } = factActivities(memory, { model: answering(reply) });
    const batch = aBatch([pets, food]);
    const told = await extractFacts(batch);
    assert.deepEqual(told.refused, ['turn 7', 'section 9', 'section 1 again']);
    assert.deepEqual([told.facts, told.summaries, told.unplaced], [5, 1, 2]);
    await publishFacts(batch);
    const sources = Object.fromEntries(
      (await extracted(memory)).map(({ text, edges, unplaced, topic }) => [text, [edges.derivedFrom?.length, unplaced, topic]]),
    );
    assert.deepEqual(sources, {
      'keeps a cat': [2, true, 'pets'],
      'keeps ferrets': [2, true, 'pets'],
      'likes soup': [1, undefined, 'food'],
      'has a cat': [1, undefined, 'pets'],
      'owns ferrets': [1, undefined, 'pets'],
    });
  });

  it('that a reply has twice are one, from both turns', async () => {
    const topic = await storing(memory, [aTurn('I keep two ferrets.'), aTurn('Yes, two ferrets.')]);
    const { extractFacts, publishFacts } = factActivities(memory, {
      model: answering(
        factsReply([
          { turn: 1, text: 'keeps two ferrets' },
          { turn: 2, text: 'Keeps  two ferrets.' },
        ]),
      ),
    });
    assert.equal((await extractFacts(aBatch([topic]))).facts, 1);
    await publishFacts(aBatch([topic]));
    assert.equal((await extracted(memory))[0]?.edges.derivedFrom?.length, 2);
  });

  it('are asked for once for all topics, numbered straight through, and not at all where no turn is read', async () => {
    const pets = await storing(memory, [aTurn('I keep two ferrets.'), aTurn('Nice.', { role: 'assistant' })]);
    const food = await storing(memory, [aTurn('I like soup.')], { from: 2, topicId: 'food' });
    const model = answering(factsReply([]));
    const { extractFacts } = factActivities(memory, { model });
    await extractFacts(aBatch([pets, food], { read: 'user_only' }));
    const { sections } = model.asked[0]?.input as FactsInput;
    assert.deepEqual(
      sections.map(({ n, turns }) => [n, turns.map((turn) => [turn.n, turn.text])]),
      [
        [1, [[1, 'I keep two ferrets.']]],
        [2, [[3, 'I like soup.']]],
      ],
    );
    const none = await extractFacts(aBatch([food], { batchId: 'other', read: 'assistant_only' }));
    assert.deepEqual([none.facts, none.spent.calls, model.asked.length], [0, 0, 1]);
  });

  it('are read from compressed text by a language model, while the stored turn stays whole', async () => {
    const text = 'I am NOT allergic to peanuts at all.';
    const topic = await storing(memory, [aTurn(text)]);
    const model = answering(factsReply([]));
    await factActivities(memory, { model }).extractFacts(aBatch([topic], { keepShare: 0.5 }));
    assert.equal((model.asked[0]?.input as FactsInput).sections[0]?.turns[0]?.text, 'I NOT allergic peanuts .');
    assert.equal((await memory.nodes.read('u1', [topic.turns[0]?.turnId ?? '']))[0]?.text, text);
  });

  it('an answer that cannot be read is asked for once more, then fails with its raw text kept', async () => {
    const topic = await storing(memory, [aTurn('I also paint.')]);
    const model = new ScriptedModel({ facts: () => 'Sorry, nothing to add.', repair_reply: () => 'Sorry, nothing to add.' });
    const { extractFacts, publishFacts, parkBatch } = factActivities(memory, { model });
    await assert.rejects(extractFacts(aBatch([topic])), ofKind('llm_unparseable'));
    assert.equal(model.asked.length, 2);
    await assert.rejects(publishFacts(aBatch([topic])), ofKind('not_found'));

    await parkBatch({ ...aBatch([topic]), kind: 'llm_unparseable', reason: 'unreadable' });
    await parkBatch({ ...aBatch([topic]), kind: 'llm_refused', reason: 'again' });
    const parked = [];
    for await (const batch of new Parked(memory.store).list('u1', 's1')) parked.push(batch);
    assert.deepEqual(
      parked.map(({ kind, topics, drafts }) => [kind, topics, drafts.length]),
      [['llm_unparseable', [topic], 2]],
    );
    const draft = await memory.drafts.find('u1', parked[0]?.drafts[0] ?? '');
    assert.equal(draft?.reply, 'Sorry, nothing to add.');
  });
});

describe('recalled memory', () => {
  it('is not extracted again: context blocks are not shown, and what the assistant repeats is no new fact', async () => {
    const memory = await freshMemory();
    await remembering(memory, 'u1', aFact('Mira keeps two ferrets'));
    const context = serialiseContext([{ n: 1, id: 'a', kind: 'semantic', title: 'notes', text: 'Mira keeps two ferrets' }]).text;
    const topic = await storing(memory, [
      aTurn(`${context}\nWhat do they eat?`),
      aTurn('As you keep two ferrets: meat. I suggest chicken.', { role: 'assistant' }),
      aTurn(context),
      aTurn('I keep two ferrets, as I said.', { speaker: 'Mira' }),
    ]);
    const model = answering(
      factsReply([
        { turn: 2, saidBy: 'assistant', text: 'Mira keeps two ferrets.' },
        { turn: 2, saidBy: 'assistant', text: 'The assistant suggested chicken for the ferrets' },
        { turn: 4, text: 'Mira has two ferrets' },
      ]),
    );
    const { extractFacts, publishFacts } = factActivities(memory, { model });
    const told = await extractFacts(aBatch([topic]));
    assert.deepEqual([told.facts, told.repeated], [2, 1]);
    const [{ turns } = { turns: [] }] = (model.asked[0]?.input as FactsInput).sections;
    assert.deepEqual(
      turns.map(({ n, text }) => [n, text.slice(0, 17)]),
      [
        [1, 'What do they eat?'],
        [2, 'As you keep two f'],
        [4, 'I keep two ferret'],
      ],
    );
    await publishFacts(aBatch([topic]));
    assert.deepEqual(
      (await extracted(memory)).map(({ text }) => text),
      ['Mira has two ferrets', 'Mira keeps two ferrets', 'The assistant suggested chicken for the ferrets'],
    );
  });

  it('is what was there before: a later turn that quotes the assistant takes nothing away from it', async () => {
    const memory = await freshMemory();
    const topic = await storing(memory, [aTurn('Done: table 12 at the Amber Ladder.', { role: 'assistant' })]);
    await storing(memory, [aTurn('Table 12 at the Amber Ladder, great!')], { from: 1 });
    const { extractFacts } = factActivities(memory, {
      model: answering(factsReply([{ saidBy: 'assistant', text: 'Table 12 at the Amber Ladder' }])),
    });
    assert.equal((await extractFacts(aBatch([topic]))).facts, 1);
  });
});

describe('a batch whose worker is killed at any write', () => {
  const reply = factsReply([
    { turn: 1, text: 'keeps two ferrets' },
    { turn: 2, text: 'likes soup' },
  ]);

  /** The same store, which dies once: at its nth write, before or after it reached the disk. */
  function dying(store: VectorStore, nth: number, after: boolean): VectorStore {
    let writes = 0;
    const upsert: VectorStore['upsert'] = async (...args) => {
      writes += 1;
      if (writes === nth && !after) throw new Error('killed');
      await store.upsert(...args);
      if (writes === nth) throw new Error('killed');
    };
    return new Proxy(store, {
      get: (target, name) =>
        name === 'upsert' ? upsert : (target[name as keyof VectorStore] as (...args: never[]) => unknown).bind(target),
    });
  }

  async function run(nth: number, after: boolean): Promise<{ memory: OpenMemory; calls: number; attempts: number }> {
    const whole = await freshMemory();
    const topic = await storing(whole, [aTurn('I keep two ferrets.'), aTurn('I like soup.')]);
    const model = answering(reply);
    const store = dying(whole.store, nth, after);
    const nodes = new NodeStore(store, whole.embedder);
    const drafts = new Drafts(store);
    const { extractFacts, publishFacts } = factActivities(whole, { model, store, nodes, drafts, compressor: CUTTING });
    let attempts = 0;
    for (const step of [extractFacts, publishFacts] as const) {
      for (;;) {
        attempts += 1;
        try {
          await step(aBatch([topic]));
          break;
        } catch (error) {
          assert.equal((error as Error).message, 'killed');
        }
      }
    }
    return { memory: whole, calls: model.asked.length, attempts };
  }

  it('is published whole and once', async () => {
    const undisturbed = await run(0, false);
    const wanted = await undisturbed.memory.nodes.exportHash('u1', ['semantic']);
    let kills = 0;
    for (let nth = 1; ; nth++) {
      const before = await run(nth, false);
      const after = await run(nth, true);
      if (before.attempts === 2) break;
      kills += 2;
      for (const { memory, calls } of [before, after]) {
        assert.equal(await memory.nodes.exportHash('u1', ['semantic']), wanted, `killed at write ${nth}`);
        assert.equal((await extracted(memory)).length, 2);
        assert.ok(calls <= 2, 'only a kill between the answer and its write buys it twice');
        assert.equal((await new Facts(memory.store, memory.nodes).find(aBatch([])))?.facts.length, 2);
      }
    }
    assert.ok(kills >= 10, `${kills} kills`);
  });
});
