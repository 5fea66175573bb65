import assert from 'node:assert/strict';

import fc from 'fast-check';

import { compareFacts } from '../../src/domain/fact-order.js';
import type { SemanticNode } from '../../src/domain/graph.js';
import { Overlay, type NetChange } from '../../src/domain/reconciliation.js';
import { VERDICTS, type VerdictKind } from '../../src/domain/update-queue.js';
import { decide, mayReplace, type Verdict } from '../../src/domain/verdicts.js';
import { aStoredFact } from '../support/semantic.js';

const day = (n: number): string => new Date(Date.UTC(2024, 0, n)).toISOString();
const TEA = aStoredFact('likes black tea', { validFrom: day(1) });
const JAZZ = aStoredFact('likes jazz', { validFrom: day(2) });
const GREEN = aStoredFact('likes green tea', { validFrom: day(3) });
const FACTS = [TEA, JAZZ, GREEN];
const NAMES = new Map([
  [TEA.id, 'tea'],
  [JAZZ.id, 'jazz'],
  [GREEN.id, 'green'],
]);
const say = (n: number | null, verdict: VerdictKind, text: string | null = null): Verdict => ({ n, verdict, text });

/** What a reply about the last of three facts comes to, in short. */
function decided(...verdicts: Verdict[]) {
  const overlay = new Overlay(FACTS);
  const { refused } = decide(overlay, GREEN.id, [TEA.id, JAZZ.id], verdicts);
  return { changes: overlay.changes().map(inShort), refused };
}

function inShort(change: NetChange): string {
  switch (change.act) {
    case 'insert':
      return `+ ${change.after.text}`;
    case 'revise':
      return `${NAMES.get(change.before.id)} ~ ${change.after.text}${change.after.edges.supersedes ? ' supersedes' : ''}${change.after.edges.relatesTo ? ' relates' : ''}`;
    case 'retire':
      return `${NAMES.get(change.before.id)} - ${change.why} ${NAMES.get(change.heir)}${change.validTo === undefined ? '' : ' ended'}`;
  }
}

describe('verdicts on a fact', () => {
  const table: [string, Verdict[], string[], string[]][] = [
    ['none: all is kept', [], [], []],
    ['keep changes nothing', [say(1, 'keep')], [], []],
    ['none is meant by null', [say(null, 'merge')], [], []],
    [
      'merge: the earlier one says what both said',
      [say(1, 'merge', 'likes black and green tea')],
      ['green - merge tea', 'tea ~ likes black and green tea supersedes'],
      [],
    ],
    [
      'merge without words: the richer of both',
      [say(2, 'merge')],
      ['green - merge jazz', 'jazz ~ likes green tea supersedes'],
      [],
    ],
    [
      'O03: an unknown number keeps the fact as its own, and the other one is reworded',
      [say(12, 'merge', 'likes green tea'), say(2, 'merge', 'likes bebop jazz')],
      ['jazz ~ likes bebop jazz'],
      ['memory 12'],
    ],
    [
      'a wording that keeps nothing of the fact leaves it where it is',
      [say(2, 'merge', 'likes bebop')],
      ['jazz ~ likes bebop'],
      [],
    ],
    [
      'O04: the first mention wins',
      [say(2, 'merge'), say(1, 'merge'), say(2, 'supersede')],
      ['green - merge jazz', 'jazz ~ likes green tea supersedes'],
      ['memory 2 again', 'memory 1 beside memory 2'],
    ],
    ['O04: numbers of nothing', [say(7, 'merge'), say(0, 'supersede')], [], ['memory 7', 'memory 0']],
    [
      'supersede: the earlier one ends when the later begins',
      [say(1, 'supersede')],
      ['green ~ likes green tea supersedes', 'tea - supersede green ended'],
      [],
    ],
    [
      'O23: a word against the old one alone never touches the new one',
      [say(1, 'contradict')],
      ['green ~ likes green tea supersedes', 'tea - contradict green ended'],
      [],
    ],
    [
      'merged into one and in place of another: what it was merged into takes the place',
      [say(1, 'supersede'), say(2, 'merge')],
      ['green - merge jazz', 'jazz ~ likes green tea supersedes', 'tea - supersede jazz ended'],
      [],
    ],
    ['abstract: a general one beside its members', [say(1, 'abstract', 'likes tea')], ['+ likes tea'], []],
    ['abstract without words', [say(1, 'abstract')], [], ['memory 1 without words']],
    ['relate', [say(1, 'relate'), say(2, 'relate')], ['green ~ likes green tea relates'], []],
  ];
  for (const [name, verdicts, changes, refused] of table) {
    it(name, () => {
      const told = decided(...verdicts);
      assert.deepEqual([told.changes.sort(), told.refused], [[...changes].sort(), refused]);
    });
  }

  it('count one for each memory shown, keep where nothing else was accepted', () => {
    const overlay = new Overlay(FACTS);
    const { verdicts } = decide(overlay, GREEN.id, [TEA.id, JAZZ.id], [say(1, 'supersede'), say(9, 'merge')]);
    assert.deepEqual(verdicts, { keep: 1, merge: 0, supersede: 1, contradict: 0, abstract: 0, relate: 0 });
  });

  it('let only a strictly later fact replace another, and none that was said again since', () => {
    const at = (validFrom: string | undefined, more: Partial<SemanticNode> = {}) =>
      aStoredFact('x', { ...(validFrom !== undefined && { validFrom }), ...more });
    assert.equal(mayReplace(at(day(2)), at(day(1))), true);
    assert.equal(mayReplace(at(day(1)), at(day(1))), false);
    assert.equal(mayReplace(at(undefined), at(day(1))), false);
    assert.equal(mayReplace(at(day(2)), at(day(1), { restatedAt: day(3) })), false);
    assert.equal(mayReplace(at(day(4)), at(day(1), { restatedAt: day(3) })), true);
    const overlay = new Overlay([at(day(1)), { ...at(day(1)), id: 'twin' }]);
    const { refused } = decide(overlay, 'twin', [at(day(1)).id], [say(1, 'supersede')]);
    assert.deepEqual([refused, overlay.changes()], [['memory 1 not later'], []]);
  });

  const history = fc.array(
    fc.record({
      day: fc.integer({ min: 1, max: 9 }),
      word: fc.constantFrom('tea', 'jazz', 'boats'),
      replies: fc.array(
        fc.record({
          n: fc.option(fc.integer({ min: 0, max: 9 })),
          verdict: fc.constantFrom(...VERDICTS),
          text: fc.option(fc.constantFrom('likes tea and jazz', 'likes boats', ' ')),
        }),
        { maxLength: 5 },
      ),
    }),
    { minLength: 2, maxLength: 8 },
  );

  it('lose no statement, whatever the replies: each fact stands, or one that stands names it', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const facts = steps.map(({ day: at, word }, index) =>
          aStoredFact(`likes ${word} ${index}`, { validFrom: day(at), edges: { derivedFrom: [`turn ${index}`] } }),
        );
        const replies = new Map(facts.map(({ id }, index) => [id, steps[index]?.replies ?? []]));
        const ordered = [...facts].sort(compareFacts);
        const overlay = new Overlay(facts);
        for (const { id } of ordered) {
          const before = ordered.slice(
            0,
            ordered.findIndex((fact) => fact.id === id),
          );
          const shown = [...new Set(before.map((fact) => overlay.standing(fact.id)))].filter((one) => one !== id);
          const { verdicts } = decide(overlay, id, shown, replies.get(id) ?? []);
          assert.equal(
            Object.values(verdicts).reduce((sum, count) => sum + count, 0),
            shown.length,
          );
        }
        const changes = overlay.changes();
        const retired = new Set(changes.flatMap((change) => (change.act === 'retire' ? [change.before.id] : [])));
        const named = new Set(
          ordered.filter(({ id }) => !retired.has(id)).flatMap(({ id }) => overlay.fact(id).edges.supersedes ?? []),
        );
        for (const { id } of facts) {
          assert.ok(!retired.has(id) || named.has(id), 'what yields is named by one that stands');
          assert.ok(!retired.has(overlay.standing(id)));
        }
        const touched = changes.flatMap((change) => (change.act === 'insert' ? [] : [change.before.id]));
        assert.equal(new Set(touched).size, touched.length, 'one change a node');
        for (const change of changes) {
          if (change.act !== 'retire' || change.validTo === undefined) continue;
          assert.ok(change.validTo >= (change.before.validFrom ?? ''), 'nothing ends before it began');
        }
      }),
      { numRuns: 300 },
    );
  });
});
