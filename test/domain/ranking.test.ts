import assert from 'node:assert/strict';

import fc from 'fast-check';

import { bm25, DEFAULT_WEIGHTS, fuse, type Signals } from '../../src/domain/ranking.js';
import { tellingQuery } from '../../src/domain/telling.js';
import { countWords } from '../../src/domain/words.js';

const statistics = { documents: 100, averageLength: 10, frequency: { rare: 1, common: 90 } };
const score = (counts: Record<string, number>, words: string[], length = 10) => bm25(counts, length, words, statistics);

const signal = fc.double({ min: -1, max: 1, noNaN: true });
const candidates = fc.uniqueArray(
  fc.record(
    { id: fc.uuid(), dense: signal, bm25: fc.double({ min: 0, max: 1e6, noNaN: true }) },
    { requiredKeys: ['id', 'dense', 'bm25'] },
  ),
  { selector: ({ id }) => id },
);
const weight = fc.double({ min: 0, max: 1_000, noNaN: true });
const weights = fc.record({ denseWeight: weight, bm25Weight: weight, llmWeight: weight });

describe('bm25', () => {
  it('is 0 where no word is shared, and above 0 where one is, however common', () => {
    assert.equal(score({ other: 3 }, ['rare']), 0);
    assert.equal(score({}, ['rare']), 0);
    assert.equal(score({ rare: 1 }, []), 0);
    assert.ok(score({ common: 1 }, ['common']) > 0);
  });

  it('is the textbook sum', () => {
    const idf = Math.log(1 + (100 - 1 + 0.5) / 1.5);
    const expected = (idf * 2 * 2.2) / (2 + 1.2 * (1 - 0.75 + 0.75 * 2));
    assert.ok(Math.abs(bm25({ rare: 2 }, 20, ['rare'], statistics, { k1: 1.2, b: 0.75 }) - expected) < 1e-12);
  });

  it('prefers rare words, more of them, and shorter texts', () => {
    assert.ok(score({ rare: 1 }, ['rare', 'common']) > score({ common: 1 }, ['rare', 'common']));
    assert.ok(score({ rare: 2 }, ['rare']) > score({ rare: 1 }, ['rare']));
    assert.ok(score({ rare: 1 }, ['rare'], 5) > score({ rare: 1 }, ['rare'], 50));
  });

  it('counts a word that is asked twice once, and knows a word from what every object has', () => {
    assert.equal(score({ rare: 1 }, ['rare', 'rare']), score({ rare: 1 }, ['rare']));
    assert.equal(score({ rare: 1 }, ['constructor', '__proto__', 'toString']), 0);
    assert.ok(bm25({ constructor: 1 } as never, 1, ['constructor'], { documents: 1, averageLength: 1, frequency: {} }) > 0);
  });

  it('is a number that is not negative, whatever the counts say', () => {
    const count = fc.nat(1_000);
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), count),
        count,
        count,
        fc.dictionary(fc.string(), count),
        (counts, documents, length, frequency) => {
          const words = Object.keys(counts);
          const value = bm25(counts, length, words, { documents, averageLength: documents / 3, frequency });
          assert.ok(Number.isFinite(value) && value >= 0);
        },
      ),
    );
  });
});

describe('fuse', () => {
  it('gives the same order and the same scores in whatever order the candidates come', () => {
    fc.assert(
      fc.property(candidates, weights, (some, given) => {
        const shuffled = some.toSorted((a, b) => (a.id.slice(9) < b.id.slice(9) ? -1 : 1));
        assert.deepEqual(fuse(shuffled, given), fuse(some, given));
      }),
    );
  });

  it('gives scores from 0 to 1, best first, ties by id, none lost', () => {
    fc.assert(
      fc.property(candidates, weights, (some, given) => {
        const ranked = fuse(some, given);
        assert.deepEqual(new Set(ranked.map(({ id }) => id)), new Set(some.map(({ id }) => id)));
        for (const [at, { id, score: value }] of ranked.entries()) {
          assert.ok(value >= 0 && value <= 1 + 1e-12);
          const next = ranked[at + 1];
          if (next) assert.ok(value > next.score || (value === next.score && id < next.id));
        }
      }),
    );
  });

  it('takes no notice of a signal whose weight is 0', () => {
    fc.assert(
      fc.property(candidates, (some) => {
        const given = { denseWeight: 1, bm25Weight: 0, llmWeight: 0 };
        const ids = (list: readonly Signals[]) => fuse(list, given).map(({ id }) => id);
        assert.deepEqual(ids(some), ids(some.map((candidate) => ({ ...candidate, bm25: 0, llm: 1 }))));
      }),
    );
  });

  it('takes no notice of a signal that is the same for all', () => {
    fc.assert(
      fc.property(candidates, (some) => {
        const ids = (list: readonly Signals[]) => fuse(list, DEFAULT_WEIGHTS).map(({ id }) => id);
        const same = some.map((candidate) => ({ ...candidate, dense: Math.round(candidate.dense * 100) / 100, bm25: 0 }));
        assert.deepEqual(ids(same.map((candidate) => ({ ...candidate, bm25: 3 }))), ids(same));
      }),
    );
  });

  it('ranks one candidate by what it is, not by being the only one', () => {
    const [weak] = fuse([{ id: 'a', dense: 0.1, bm25: 0 }], DEFAULT_WEIGHTS);
    assert.ok((weak?.score ?? 1) < 0.1);
  });

  it('hears the verifier where it was asked, and takes its silence for a no', () => {
    const some = [
      { id: 'a', dense: 0.5, bm25: 1, llm: 0 },
      { id: 'b', dense: 0.5, bm25: 1, llm: 1 },
    ];
    assert.deepEqual(
      fuse(some, DEFAULT_WEIGHTS).map(({ id }) => id),
      ['b', 'a'],
    );
    const mixed = fuse([{ id: 'a', dense: 0.5, bm25: 1 }, some[1] as Signals], DEFAULT_WEIGHTS);
    assert.deepEqual(
      mixed.map(({ id }) => id),
      ['b', 'a'],
    );
  });
});

describe('tellingQuery', () => {
  const among = (frequency: Record<string, number>, documents = 100) => ({ documents, averageLength: 1, frequency });
  const common = among({ ...countWords('Caroline'), ...countWords('support') });
  common.frequency = Object.fromEntries(
    Object.keys(common.frequency).map((word) => [word, word.startsWith('carolin') ? 50 : 30]),
  );

  it('leaves out the words that most texts have, and nothing else', () => {
    assert.equal(tellingQuery("When did Caroline's support group meet?", common), 'When did support group meet?');
    assert.equal(tellingQuery('什么时候 Caroline 去了西湖', common), '什么时候 去了西湖');
  });

  it('leaves a query alone that would have no telling word left, or where there are few texts', () => {
    assert.equal(tellingQuery('Who is Caroline?', common), 'Who is Caroline?');
    assert.equal(tellingQuery('When did Caroline go?', { ...common, documents: 10 }), 'When did Caroline go?');
  });

  it('never fails, and never makes a query blank that was not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.nat(100)), (query, frequency) => {
        const told = tellingQuery(
          query,
          among({ ...frequency, ...Object.fromEntries(Object.keys(countWords(query)).map((w) => [w, 50])) }),
        );
        assert.ok(told.trim() !== '' || query.trim() === '');
      }),
    );
  });
});
