import assert from 'node:assert/strict';

import { dot } from '../../src/domain/vector.js';
import type { Embedder } from '../../src/ports/embedder.js';

/** What every embedder does, whatever computes. `open` is called once; the suite closes what it gives. */
export function describeEmbedder(name: string, open: () => Promise<Embedder>): void {
  describe(`${name} as an Embedder`, () => {
    let embedder: Embedder;
    before(async function () {
      this.timeout(180_000); // a model may have to be fetched
      embedder = await open();
    });
    after(async () => await embedder?.close());

    const LONG = 'the river runs past old mills and quiet gardens while children count boats '.repeat(16);

    it('gives one unit vector of its dimension a text, in the order of the texts', async () => {
      const texts = [LONG, 'green tea', 'a red bicycle', 'green tea'];
      const vectors = await embedder.embed(texts);
      assert.equal(vectors.length, texts.length);
      for (const vector of vectors) {
        assert.equal(vector.length, embedder.identity.dimension);
        assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-6);
      }
      assert.deepEqual(vectors[1], vectors[3]);
      assert.ok(dot(vectors[0] as number[], vectors[1] as number[]) < 0.9999);
    });

    it('gives a text the same vector alone and in a batch', async () => {
      const [alone] = await embedder.embed(['green tea']);
      const [inBatch] = await embedder.embed(['green tea', LONG, 'x']);
      assert.ok(dot(alone as number[], inBatch as number[]) >= 0.9999);
    });

    it('gives more texts than go into one request each their own vector', async () => {
      const texts = Array.from({ length: 70 }, (_, at) => `boat number ${at}`);
      const vectors = await embedder.embed(texts);
      const [last] = await embedder.embed(['boat number 69']);
      assert.equal(vectors.length, 70);
      assert.ok(dot(vectors[69] as number[], last as number[]) >= 0.9999);
    });

    it('gives no vector for no text, and one for an empty, a broken and an endless text', async () => {
      assert.deepEqual(await embedder.embed([]), []);
      const vectors = await embedder.embed(['', '  \n', 'half a pair \ud83d', 'ab🔥'.repeat(3_000), 'word '.repeat(20_000)]);
      for (const vector of vectors) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-6);
    });

    it('rejects with the reason of a signal that has aborted or aborts, and goes on working', async () => {
      const reason = new Error('no longer wanted');
      await assert.rejects(embedder.embed(['a'], { signal: AbortSignal.abort(reason) }), reason);
      const abort = new AbortController();
      const call = embedder.embed(
        Array.from({ length: 64 }, (_, at) => `${LONG} ${at}`),
        { signal: abort.signal },
      );
      abort.abort(reason);
      await assert.rejects(call, reason);
      assert.equal((await embedder.embed(['a'])).length, 1);
    });

    it('has an identity that a store can keep', () => {
      const { model, dimension, hash } = embedder.identity;
      assert.ok(model !== '' && hash !== '' && Number.isInteger(dimension) && dimension > 0);
    });
  });
}
