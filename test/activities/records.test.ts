import assert from 'node:assert/strict';

import type { RecordInput } from '../../activities/contract.js';
import { commitEpisode, episodeText } from '../../activities/records.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { claim, refTo } from '../../src/domain/claim.js';
import type { EpisodicNode } from '../../src/domain/graph.js';
import { aChunk, remembering } from '../support/builders.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const NOW = new Date('2026-02-01T10:00:00.000Z');
const CHUNK = aChunk('The user likes oolong tea.');

describe('recording a task', () => {
  let memory: OpenMemory;

  beforeEach(async () => {
    memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
    await remembering(memory, SPACE, CHUNK);
  });

  const anInput = (more: Partial<RecordInput> = {}): RecordInput => ({
    ...{
      space: SPACE,
      taskId: 't',
      instruction: claim(SPACE, 'Which tea?'),
      outcome: 'succeeded',
      feedback: claim(SPACE, ''),
      feedbackSource: 'agent',
    },
    trajectory: [{ observation: claim(SPACE, 'a shelf'), action: claim(SPACE, 'oolong') }],
    ...{ steps: 1, repairs: 2, grounded: [CHUNK.id], cited: [CHUNK.id], promotions: [], stepLinks: [] },
    ...more,
  });
  const promotion = async (text: string, version = 1) => ({
    nodeId: CHUNK.id,
    version,
    ref: await memory.texts.keep(SPACE, text),
    direction: 'finer' as const,
  });
  const episode = async (id: string): Promise<EpisodicNode> => (await memory.nodes.read(SPACE, [id]))[0] as EpisodicNode;

  it('leaves the episode with its Ground edges, texts read from wherever they are kept', async () => {
    const feedback = refTo(await memory.texts.keep(SPACE, 'well done'));
    const { episodeId } = await commitEpisode(memory, anInput({ feedback }), NOW);
    const { edges, instruction, trajectory, outcome, repairs, text, recordedAt } = await episode(episodeId);
    assert.deepEqual(edges, { groundedIn: [CHUNK.id], cited: [CHUNK.id] });
    assert.deepEqual([instruction, trajectory], ['Which tea?', [{ observation: 'a shelf', action: 'oolong' }]]);
    assert.deepEqual([outcome, repairs, recordedAt], ['succeeded', 2, NOW.toISOString()]);
    assert.equal(text, 'Task: Which tea?\nSaw: a shelf\nDid: oolong\nOutcome: succeeded. Feedback: well done');
  });

  it('is there once however often it is repeated, at whatever time', async () => {
    const input = anInput({ promotions: [await promotion('oolong')] });
    const first = await commitEpisode(memory, input, NOW);
    const hash = await memory.nodes.exportHash(SPACE);
    assert.deepEqual(await commitEpisode(memory, input, new Date(NOW.getTime() + 60_000)), first);
    assert.equal(await memory.nodes.exportHash(SPACE), hash);
    assert.equal(await memory.nodes.count(SPACE, { kinds: ['episodic'] }), 1);
    assert.deepEqual(
      (await memory.nodes.read(SPACE, [CHUNK.id])).map(({ text, version }) => [text, version]),
      [['oolong', 2]],
    );
  });

  it('promotes a node reshaped in several steps once, as the last step saw it', async () => {
    const { promoted, stale } = await commitEpisode(
      memory,
      anInput({ promotions: [await promotion('first'), await promotion('last')] }),
      NOW,
    );
    assert.deepEqual([promoted, stale], [[CHUNK.id], []]);
    assert.deepEqual(
      (await memory.nodes.read(SPACE, [CHUNK.id])).map(({ text, version }) => [text, version]),
      [['last', 2]],
    );
  });

  it('keeps what somebody else changed meanwhile, and tells the node as stale', async () => {
    const late = await promotion('mine');
    await memory.nodes.revise(SPACE, {
      nodeId: CHUNK.id,
      version: 1,
      change: { text: 'theirs' },
      recordedAt: NOW.toISOString(),
      token: 'another',
    });
    const { promoted, stale } = await commitEpisode(memory, anInput({ promotions: [late] }), NOW);
    assert.deepEqual([promoted, stale], [[], [CHUNK.id]]);
    assert.equal((await memory.nodes.read(SPACE, [CHUNK.id]))[0]?.text, 'theirs');
  });

  it('tells a node that is gone as stale', async () => {
    const gone = { ...(await promotion('mine')), nodeId: aChunk('never stored').id };
    assert.deepEqual((await commitEpisode(memory, anInput({ promotions: [gone] }), NOW)).stale, [gone.nodeId]);
  });

  it('leaves a failed task as an episode without Ground edges, and nothing else changed', async () => {
    const before = await memory.nodes.exportHash(SPACE, ['semantic', 'procedural']);
    const { episodeId } = await commitEpisode(memory, anInput({ outcome: 'failed', grounded: [], cited: [] }), NOW);
    assert.deepEqual((await episode(episodeId)).edges, {});
    assert.equal(await memory.nodes.exportHash(SPACE, ['semantic', 'procedural']), before);
  });

  it('fails before anything is promoted where a text is not there', async () => {
    await assert.rejects(commitEpisode(memory, anInput({ feedback: refTo('11111111-1111-5111-8111-111111111111') }), NOW), {
      kind: 'not_found',
    });
    assert.equal(await memory.nodes.count(SPACE, { kinds: ['episodic'] }), 0);
  });

  it('of two tasks of one name in two spaces leaves two episodes', async () => {
    const mine = await commitEpisode(memory, anInput({ grounded: [], cited: [] }), NOW);
    const theirs = await commitEpisode(memory, anInput({ space: 'bob', grounded: [], cited: [] }), NOW);
    assert.notEqual(mine.episodeId, theirs.episodeId);
  });
});

describe('episodeText', () => {
  it('leaves out what says nothing', () =>
    assert.equal(
      episodeText('Do it', [{ observation: ' ', action: 'did' }], 'cancelled', ''),
      'Task: Do it\nDid: did\nOutcome: cancelled',
    ));
});
