import assert from 'node:assert/strict';

import fc from 'fast-check';

import { candidateLinks, CANDIDATES, type CandidateFact, type Nomination } from '../../src/domain/candidates.js';

const at = (day: number): string => new Date(Date.UTC(2024, 0, day)).toISOString();
const fact = (id: string, text: string, day: number, speaker = 'ann'): CandidateFact => ({
  ...{ id, text, speaker, validFrom: at(day), source: {} },
});
const linked = (facts: readonly CandidateFact[], nominations: readonly Nomination[]) =>
  candidateLinks(new Map(facts.map((one) => [one.id, one])), nominations);
const near = (one: string, other: string, cosine: number, rare = false): Nomination => ({ one, other, cosine, rare });

describe('candidates', () => {
  const WORTH: [string, string, string, number, boolean][] = [
    ['near facts', 'Ann takes care of the garden', 'Ann looks after her plants', 0.8, false],
    ['another value in much the same words', 'Ann works on project Heron', 'Ann works on Osprey', 0.31, false],
    ['what was meant and has happened', 'Ann is looking for a flat in Porto.', 'Ann moved in last week.', 0.57, false],
    ['facts that share a rare name', 'Ann adores Pepper', 'Pepper was run over on a walk', 0.45, true],
    ['another number of the same', 'Ann has turtles that differ in temper', 'Ann feeds a third turtle', 0.75, false],
  ];
  for (const [title, before, after, cosine, rare] of WORTH) {
    it(`are ${title}: cosine ${cosine}`, () => {
      const links = linked([fact('a', before, 1), fact('b', after, 2)], [near('b', 'a', cosine, rare)]);
      assert.deepEqual(
        links.map(({ earlier, later }) => [earlier, later]),
        [['a', 'b']],
      );
    });
  }

  const NOT_WORTH: [string, CandidateFact, CandidateFact, number][] = [
    ['facts about one thing only', fact('a', 'Ann paints lakes', 1), fact('b', 'Ann met other painters downtown', 2), 0.6],
    ['what two people say of themselves', fact('a', 'I keep two ferrets', 1), fact('b', 'I keep ferrets', 2, 'bob'), 0.84],
    ['what is meant again', fact('a', 'Ann is looking for a flat in Porto.', 1), fact('b', 'Ann wants to see the sea.', 2), 0.57],
  ];
  for (const [title, a, b, cosine] of NOT_WORTH) {
    it(`are not ${title}: cosine ${cosine}`, () => assert.deepEqual(linked([a, b], [near('b', 'a', cosine)]), []));
  }

  it('point from the earlier fact to the later one, whichever was looked at', () => {
    const facts = [fact('a', 'Ann lives in Paris', 9), fact('b', 'Ann lives in Berlin', 1)];
    const [link] = linked(facts, [near('a', 'b', 0.9)]);
    assert.deepEqual([link?.earlier, link?.later], ['b', 'a']);
    assert.deepEqual(linked(facts, [near('b', 'a', 0.9), near('a', 'b', 0.9)]), [link], 'and count once');
  });

  it('bring along what is near beside them, ten in all, and it weighs less than any of them', () => {
    const others = Array.from({ length: 30 }, (_, n) => fact(`o${n}`, `Something else ${'x'.repeat(n)} entirely`, 1 + n));
    const facts = [fact('a', 'Ann lives in Paris', 1), ...others, fact('z', 'Ann lives in Berlin', 90)];
    const links = linked(facts, [near('z', 'a', 0.6), ...others.map(({ id }) => near('z', id, 0.7))]);
    assert.equal(links.length, CANDIDATES.kept);
    const [worth, ...beside] = links;
    assert.equal(worth?.earlier, 'a');
    assert.ok(beside.every(({ by, weight }) => by === 'beside' && weight < (worth?.weight ?? 0)));
  });

  it('are the same for the same nominations in any order', () => {
    const texts = [
      'Ann lives in Paris',
      'Ann moved to Rome',
      'Ann wants to move',
      'Ann has two cats',
      'Ann has three cats',
      'Rex is ill',
    ];
    const facts = texts.map((text, n) => fact(`f${n}`, text, 1 + (n % 3)));
    const nomination = fc.record({
      one: fc.constantFrom(...facts.map(({ id }) => id)),
      other: fc.constantFrom(...facts.map(({ id }) => id)),
      cosine: fc.double({ min: 0.2, max: 1, noNaN: true }),
      rare: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(nomination, { maxLength: 30 }), fc.nat(), (nominations, turn) => {
        const turned = nominations.map((_, n) => nominations[(n + turn) % nominations.length] as Nomination);
        const swapped = turned.map(({ one, other, ...rest }) => ({ ...rest, one: other, other: one }));
        const key = (links: ReturnType<typeof linked>) => links.map((link) => JSON.stringify(link)).sort();
        assert.deepEqual(key(linked([...facts].reverse(), swapped)), key(linked(facts, nominations)));
      }),
    );
  });
});
