import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { hashOf } from '../../src/domain/id.js';
import type { GraphNode, SemanticNode } from '../../src/domain/graph.js';
import { Documents, type Document } from '../../src/store/documents.js';
import { NodeStore } from '../../src/store/nodes.js';
import { Texts } from '../../src/store/texts.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'a space';
const paragraph = (n: number): string => `Paragraph ${n} speaks of item ${n * 7} and of much that follows from it, to its end.`;
const paragraphs = (count: number): string[] => Array.from({ length: count }, (_, n) => paragraph(n));

async function openDocuments() {
  const store = new InMemoryVectorStore();
  const embedder = new WordEmbedder();
  await store.ensure(embedder.identity);
  const nodes = new NodeStore(store, embedder);
  const documents = new Documents(store, nodes);
  const texts = new Texts(store);
  let learnings = 0;
  const document = async (
    text: string,
    { name = 'notes.md', title }: { name?: string; title?: string } = {},
  ): Promise<Document> => {
    return {
      space: SPACE,
      document: name,
      title: title ?? name,
      textRef: await texts.keep(SPACE, text),
      hash: hashOf(text),
      chunkCharacters: 100,
    };
  };
  /** All that a learning does, in its order; each step twice, as where an answer got lost. */
  const learn = async (text: string, more = {}) => {
    const asked = await document(text, more);
    if ((await documents.known(asked)) !== undefined) return undefined;
    const plan = await documents.plan(asked);
    const write = { recordedAt: '2026-01-01T00:00:00Z', token: `learning ${++learnings}` };
    for (let attempt = 1; attempt <= 2; attempt++) {
      await documents.insert(asked, plan.fresh, write);
      await documents.place(asked, write);
      await nodes.retire(SPACE, plan.gone, { at: write.recordedAt, token: write.token });
      await documents.record(asked, plan.chunks, write.recordedAt);
    }
    return plan;
  };
  const chunks = async (): Promise<SemanticNode[]> => {
    const all: GraphNode[] = [];
    for await (const node of nodes.scan(SPACE)) all.push(node);
    return (all as SemanticNode[]).sort((a, b) => (a.source.position ?? -1) - (b.source.position ?? -1));
  };
  return { store, embedder, nodes, documents, document, learn, chunks };
}

describe('Documents', () => {
  it('become chunks that say where they stand', async () => {
    const { learn, chunks } = await openDocuments();
    const text = paragraphs(10).join('\n\n');
    assert.deepEqual(await learn(text), { chunks: 10, fresh: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], moved: 0, gone: [] });
    for (const [position, { text: said, source, form }] of (await chunks()).entries()) {
      assert.deepEqual(
        { form, position, said },
        { form: 'chunk', position: source.position, said: text.slice(source.start, source.end) },
      );
      assert.deepEqual([source.document, source.title], ['notes.md', 'notes.md']);
    }
  });

  it('that are the same again are known, and cost neither embedding nor write', async () => {
    const { learn, embedder, store, nodes } = await openDocuments();
    const text = paragraphs(10).join('\n\n');
    await learn(text);
    const before = [embedder.texts.length, await store.count(SPACE), await nodes.exportHash(SPACE, undefined, { history: true })];
    assert.equal(await learn(text), undefined);
    assert.deepEqual(
      [embedder.texts.length, await store.count(SPACE), await nodes.exportHash(SPACE, undefined, { history: true })],
      before,
    );
  });

  it('that changed replace the chunks that changed, and tell the others where they stand now', async () => {
    const { learn, chunks, embedder, nodes } = await openDocuments();
    await learn(paragraphs(10).join('\n\n'));
    const before = await chunks();
    embedder.texts.length = 0;
    const changed = paragraphs(10).toSpliced(2, 1, paragraph(100), paragraph(101));
    const plan = await learn(changed.join('\n\n'));
    const after = await chunks();
    const kept = after.filter(({ id }) => before.some((chunk) => chunk.id === id));
    assert.deepEqual(
      plan?.gone,
      before.filter(({ text }) => text === paragraph(2)).map(({ id }) => id),
    );
    assert.equal(embedder.texts.length, plan?.fresh.length);
    assert.deepEqual(
      kept.map(({ version }) => version),
      kept.map(() => 1),
    );
    assert.equal(after.length, plan?.chunks);
    for (const { text, source } of after) assert.equal(text, changed.join('\n\n').slice(source.start, source.end));
    assert.deepEqual(
      after.map(({ source }) => source.position),
      after.map((_, at) => at),
    );
    assert.equal(await nodes.count(SPACE, { includeRetired: true }), after.length + 1);
  });

  it('that become what they were bring their chunks back as new versions', async () => {
    const { learn, chunks, nodes } = await openDocuments();
    const first = paragraphs(4).join('\n\n');
    await learn(first);
    const before = await nodes.exportHash(SPACE);
    await learn(paragraphs(3).join('\n\n'));
    await learn(first);
    assert.equal(await nodes.exportHash(SPACE), before);
    assert.deepEqual(
      (await chunks()).map(({ version }) => version),
      [1, 1, 1, 2],
    );
  });

  it('keep identical chunks apart, and lose one when one goes', async () => {
    const { learn, chunks } = await openDocuments();
    await learn([paragraph(1), paragraph(1), paragraph(1)].join('\n\n'));
    assert.equal(new Set((await chunks()).map(({ id }) => id)).size, 3);
    const plan = await learn([paragraph(1), paragraph(1)].join('\n\n'));
    assert.deepEqual([plan?.fresh.length, plan?.gone.length], [0, 1]);
    assert.equal((await chunks()).length, 2);
  });

  it('share nothing with another document of the same text, and are found by their titles', async () => {
    const { learn, chunks, embedder } = await openDocuments();
    await learn(paragraph(1), { name: 'a.md' });
    await learn(paragraph(1), { name: 'b.md', title: 'Herons' });
    assert.deepEqual((await chunks()).map(({ source }) => source.document).sort(), ['a.md', 'b.md']);
    assert.ok(embedder.texts.includes(`Herons: ${paragraph(1)}`));
    const plan = await learn(paragraph(1), { name: 'b.md', title: 'Storks' });
    assert.deepEqual([plan?.fresh.length, plan?.gone.length], [1, 1]);
  });

  it('go on after a kill between any two steps, under another name of the learning', async () => {
    const { documents, document, learn, nodes, chunks } = await openDocuments();
    await learn(paragraphs(6).join('\n\n'));
    const asked = await document(paragraphs(8).toSpliced(0, 2).join('\n\n'));
    const plan = await documents.plan(asked);
    await documents.insert(asked, plan.fresh.slice(0, 1), { recordedAt: '2026-01-01T00:00:00Z', token: 'killed' });
    const again = await documents.plan(asked);
    assert.deepEqual([again.fresh.length, again.gone], [plan.fresh.length - 1, plan.gone]);
    await learn(paragraphs(8).toSpliced(0, 2).join('\n\n'));
    assert.deepEqual(
      (await chunks()).map(({ text }) => text),
      paragraphs(8).toSpliced(0, 2),
    );
    assert.equal(await nodes.count(SPACE), 6);
  });

  it('of which a chunk was taken away are not known as they are', async () => {
    const { documents, document, learn, nodes, chunks } = await openDocuments();
    const text = paragraphs(3).join('\n\n');
    await learn(text);
    await nodes.retire(SPACE, [(await chunks())[1]?.id ?? ''], { at: '2026-02-01T00:00:00Z', token: 'forgotten' });
    assert.equal(await documents.known(await document(text)), undefined);
  });
});
