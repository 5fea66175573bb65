import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver } from '../../src/compose.js';
import type { KnowledgeResult } from '../../src/domain/document.js';
import { EngraphError } from '../../src/domain/failure.js';
import type { Write } from '../../src/ports/vector-store.js';
import { startEnvironment, withEngraph } from '../support/environment.js';
import { WordEmbedder } from '../support/word-embedder.js';

const paragraph = (n: number): string =>
  `Paragraph ${n} speaks of item ${n * 7}${' and of much that follows from it'.repeat(6)}.`;
const text = (from: number, to: number): string => Array.from({ length: to - from }, (_, n) => paragraph(from + n)).join('\n\n');
const counts = ({ chunks, added, kept, retired, unchanged }: KnowledgeResult) => ({ chunks, added, kept, retired, unchanged });
const document = 'docs/notes.md';

/** A store whose first answers to writes of chunks get lost on the way. */
class LosingStore extends InMemoryVectorStore {
  #left: number;

  constructor(losses: number) {
    super();
    this.#left = losses;
  }

  override async upsert(space: string, writes: readonly Write[]): Promise<void> {
    await super.upsert(space, writes);
    const chunks = writes.some(({ point }) => point.payload['form'] === 'chunk');
    if (chunks && this.#left-- > 0) throw new EngraphError('store_unavailable', 'the answer got lost');
  }
}

describe('knowledgeWorkflow', function () {
  this.timeout(120_000);
  before(startEnvironment);

  it('learns a document once, does nothing for the same again, and replaces only what changed', async () => {
    await withEngraph({}, async ({ client, memory, temporal }) => {
      const first = await client.learn('s', { document, text: text(0, 70), chunkCharacters: 256 });
      assert.deepEqual(counts(first), { chunks: 70, added: 70, kept: 0, retired: 0, unchanged: false });
      assert.equal(await memory.nodes.count('s'), 70);

      const again = await client.learn('s', { document, text: text(0, 70), chunkCharacters: 256 });
      assert.deepEqual(counts(again), { chunks: 70, added: 0, kept: 70, retired: 0, unchanged: true });

      const changed = await client.learn('s', { document, text: text(2, 73), chunkCharacters: 256 });
      assert.deepEqual(counts(changed), { chunks: 71, added: 3, kept: 68, retired: 2, unchanged: false });
      assert.equal(await memory.nodes.count('s'), 71);
      const [found] = await client.search('s', 'Paragraph 72');
      assert.equal(found?.node.text, paragraph(72));
      assert.equal(found.node.kind === 'semantic' && found.node.source.position, 70);

      const history = await temporal.workflow.getHandle('knowledge/s/docs%2Fnotes.md').fetchHistory();
      assert.doesNotMatch(JSON.stringify(history), /speaks of item/u);
    });
  });

  it('survives answers that get lost after the write: no chunk is missing, doubled, or embedded again', async () => {
    const embedder = new WordEmbedder();
    const memory = memoryOver(new LosingStore(4), embedder);
    await withEngraph({ memory }, async ({ client }) => {
      const learned = await client.learn('s', { document, text: text(0, 70), chunkCharacters: 256 });
      assert.deepEqual(counts(learned), { chunks: 70, added: 70, kept: 0, retired: 0, unchanged: false });
      assert.equal(await memory.nodes.count('s', { includeRetired: true }), 70);
      assert.equal(embedder.texts.length, 70);
    });
  });

  it('refuses what is no document to learn', async () => {
    await withEngraph({}, async ({ temporal, taskQueue }) => {
      const run = temporal.workflow.execute('knowledgeWorkflow', {
        workflowId: `knowledge/s/none-${taskQueue}`,
        taskQueue,
        args: [{ space: 's', document: '', title: 't', textRef: 'r', hash: 'h' }],
      });
      await assert.rejects(run, (error) => (error as { cause?: { type?: string } }).cause?.type === 'validation');
    });
  });
});
