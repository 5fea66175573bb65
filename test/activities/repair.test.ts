import assert from 'node:assert/strict';

import type { RepairInput } from '../../activities/contract.js';
import { applyEdits, similarities } from '../../activities/repair.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { claim } from '../../src/domain/claim.js';
import { DEFAULT_BUDGETS, parseContext } from '../../src/domain/context.js';
import { DEFAULT_RETRIEVAL } from '../../src/domain/task.js';
import { aChunk, remembering } from '../support/builders.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const ASKED = 'which tea does the user drink';
const CHUNKS = [
  'which tea does the user drink daily',
  'the user may drink tea',
  'quarterly zebra finance figures',
  'green oolong leaves',
  'oolong leaves are green',
  'oolong grows in mountains',
].map((text, position) => aChunk(text, { document: `d${position}.md`, position }));
const id = (at: number): string => CHUNKS[at]?.id ?? '';

describe('a repair', () => {
  let memory: OpenMemory;

  beforeEach(async () => {
    memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
    await remembering(memory, SPACE, ...CHUNKS);
  });

  const anInput = (more: Partial<RepairInput>): RepairInput => ({
    ...{ space: SPACE, taskId: 't', step: 0, round: 1, instruction: claim(SPACE, ASKED), observation: claim(SPACE, '') },
    feedback: claim(SPACE, 'look for green oolong leaves'),
    links: [0, 1, 2].map((at) => ({ number: at + 1, nodeId: id(at) })),
    ...{ tried: [], edits: [], overlays: [], nextNumber: 4, retrieval: DEFAULT_RETRIEVAL, budgets: DEFAULT_BUDGETS },
    ...more,
  });
  const shownBy = async ({ context }: { context: { ref: string } }) => parseContext(await memory.texts.read(SPACE, context.ref));

  it('expands by the feedback with what no round has tried and no link shows, under numbers never used', async () => {
    const repaired = await applyEdits(memory, anInput({ edits: [{ edit: 'expand' }], tried: [id(3)] }));
    assert.deepEqual(repaired.added.map(({ nodeId }) => nodeId).sort(), [id(4), id(5)].sort());
    assert.deepEqual(
      repaired.added.map(({ number }) => number),
      [4, 5],
    );
    assert.deepEqual(
      new Set(repaired.added.map(({ act, reason, round }) => `${act} ${reason} ${round}`)),
      new Set(['expands feedback 1']),
    );
    assert.equal(repaired.nextNumber, 6);
    assert.deepEqual(
      (await shownBy(repaired)).map(({ n }) => n),
      [1, 2, 3, 4, 5],
    );
  });

  it('adds at most as many as the settings say', async () => {
    const { added } = await applyEdits(
      memory,
      anInput({ edits: [{ edit: 'expand' }], retrieval: { ...DEFAULT_RETRIEVAL, topKExpand: 1 } }),
    );
    assert.equal(added.length, 1);
  });

  it('prunes what is named and what is under the floor, and tells which was which', async () => {
    const scores = await similarities(memory, anInput({}), anInput({}).links);
    assert.ok((scores.get(id(0)) ?? 0) > 0.5 && (scores.get(id(2)) ?? 1) < 0.3, 'the scene is as the test needs it');
    const repaired = await applyEdits(memory, anInput({ edits: [{ edit: 'prune', nodes: [1] }] }));
    assert.deepEqual(
      repaired.removed.map(({ number, reason }) => [number, reason]),
      [
        [1, 'off_topic'],
        [3, 'below_floor'],
      ],
    );
    assert.deepEqual(
      (await shownBy(repaired)).map(({ n }) => n),
      [2],
    );
  });

  it('leaves what is under the floor where no prune is asked for', async () => {
    const repaired = await applyEdits(memory, anInput({ edits: [{ edit: 'expand' }] }));
    assert.deepEqual(repaired.removed, []);
  });

  it('shows an overlay in its node’s place, and of several the last', async () => {
    const [first, second] = [await memory.texts.keep(SPACE, 'tea, daily'), await memory.texts.keep(SPACE, 'oolong')];
    const overlays = [{ number: 2, ref: first, direction: 'finer' as const }];
    const once = await applyEdits(memory, anInput({ edits: [{ edit: 'reshape', node: 2, direction: 'finer' }], overlays }));
    assert.deepEqual(once.reshaped, overlays);
    assert.equal((await shownBy(once)).find(({ n }) => n === 2)?.text, 'tea, daily');
    const links = anInput({}).links.map((link) => (link.number === 2 ? { ...link, overlay: first } : link));
    const again = await applyEdits(memory, anInput({ links, overlays: [{ number: 2, ref: second, direction: 'finer' }] }));
    assert.equal((await shownBy(again)).find(({ n }) => n === 2)?.text, 'oolong');
    const kept = await applyEdits(memory, anInput({ links, overlays }));
    assert.deepEqual(kept.reshaped, [], 'what is shown already is no news');
    assert.equal((await shownBy(kept)).find(({ n }) => n === 2)?.text, 'tea, daily');
  });

  it('bypasses memory: nothing is shown', async () => {
    const repaired = await applyEdits(memory, anInput({ edits: [{ edit: 'bypass' }] }));
    assert.deepEqual(
      repaired.removed.map(({ reason }) => reason),
      ['bypass', 'bypass', 'bypass'],
    );
    assert.deepEqual(await shownBy(repaired), []);
  });

  it('changes no node and no edge, and gives the same when it is repeated', async () => {
    const before = await memory.nodes.exportHash(SPACE);
    const input = anInput({ edits: [{ edit: 'prune', nodes: [1] }, { edit: 'expand' }] });
    assert.deepEqual(await applyEdits(memory, input), await applyEdits(memory, input));
    assert.equal(await memory.nodes.exportHash(SPACE), before);
  });
});
