import assert from 'node:assert/strict';

import { idOf } from '../../src/domain/id.js';
import type { Condition, Filter, IndexedField, VectorStore } from '../../src/ports/vector-store.js';
import { kind, point, writes } from '../support/points.js';

const DAY = (day: number) => `2026-01-0${day}T00:00:00.000Z`;

const POINTS = {
  one: { kind: 'semantic', form: 'turn', version: 1, recordedAt: DAY(1), retiredAt: DAY(3), key: '\uffee' },
  two: { kind: 'semantic', form: 'fact', version: 2, recordedAt: DAY(3), derivedFrom: ['x', 'y'], key: '🔥' },
  three: { kind: 'episodic', version: 10, recordedAt: DAY(5), groundedIn: ['x'], derivedFrom: [], key: 'a' },
  four: { kind: 'procedural', version: 2, recordedAt: DAY(5), retiredAt: null, distilledFrom: ['three', 'z'], status: '2' },
} as const;

const CASES: [string, Filter, (keyof typeof POINTS)[]][] = [
  ['nothing asked', [], ['one', 'two', 'three', 'four']],
  ['one of several values', [{ field: 'kind', anyOf: ['semantic', 'procedural'] }], ['one', 'two', 'four']],
  ['one value', [{ field: 'kind', anyOf: ['episodic'] }], ['three']],
  ['no value at all', [{ field: 'kind', anyOf: [] }], []],
  ['none of a value, which a missing field has not', [{ field: 'form', noneOf: ['turn'] }], ['two', 'three', 'four']],
  ['none of nothing', [{ field: 'form', noneOf: [] }], ['one', 'two', 'three', 'four']],
  ['an element of a list', [{ field: 'derivedFrom', anyOf: ['y', 'none'] }], ['two']],
  ['no element of a list', [{ field: 'derivedFrom', noneOf: ['y'] }], ['one', 'three', 'four']],
  ['a number, not its text', [{ field: 'version', anyOf: [2] }], ['two', 'four']],
  ['a text, not the number', [{ field: 'status', anyOf: ['2'] }], ['four']],
  ['a text is not found by the number', [{ field: 'status', anyOf: [2] }], []],
  ['a missing, null or empty field', [{ field: 'retiredAt', absent: true }], ['two', 'three', 'four']],
  ['an empty list as absent', [{ field: 'derivedFrom', absent: true }], ['one', 'three', 'four']],
  ['a field that is there', [{ field: 'retiredAt', absent: false }], ['one']],
  ['numbers by size', [{ field: 'version', from: 2 }], ['two', 'three', 'four']],
  ['numbers below, the bound left out', [{ field: 'version', below: 10 }], ['one', 'two', 'four']],
  ['numbers in a range', [{ field: 'version', from: 2, below: 10 }], ['two', 'four']],
  ['texts in a range', [{ field: 'recordedAt', from: DAY(3), below: DAY(5) }], ['two']],
  ['text above a bound without its numbers', [{ field: 'version', from: '1' }], []],
  ['text below a bound without its numbers', [{ field: 'version', below: 'z' }], []],
  ['text by code unit, in which 🔥 comes before U+FFEE', [{ field: 'key', from: '🔥', below: '\uffee' }], ['two']],
  ['U+FFEE after 🔥', [{ field: 'key', from: '\uffee' }], ['one']],
  [
    'all conditions',
    [
      { field: 'kind', anyOf: ['semantic'] },
      { field: 'retiredAt', absent: true },
    ],
    ['two'],
  ],
  ['two conditions on one field', [{ field: 'version', from: 2, anyOf: [1, 10] }], ['three']],
  [
    'any of several conditions',
    [
      {
        any: [
          { field: 'groundedIn', anyOf: ['x'] },
          { field: 'distilledFrom', anyOf: ['z'] },
        ],
      },
    ],
    ['three', 'four'],
  ],
  ['any of none', [{ any: [] }], []],
  [
    'conditions that cannot hold together',
    [
      { field: 'kind', anyOf: ['semantic'] },
      { field: 'kind', anyOf: ['episodic'] },
    ],
    [],
  ],
  [
    'one kind without some values',
    [
      { field: 'kind', anyOf: ['semantic'] },
      { field: 'form', noneOf: ['turn'] },
      { field: 'derivedFrom', noneOf: ['z'] },
    ],
    ['two'],
  ],
  [
    'as of a time: recorded by then, and not yet retired',
    [
      { field: 'recordedAt', below: DAY(2) },
      {
        any: [
          { field: 'retiredAt', absent: true },
          { field: 'retiredAt', from: DAY(2) },
        ],
      },
    ],
    ['one'],
  ],
  [
    'as of a later time',
    [
      { field: 'recordedAt', below: DAY(4) },
      {
        any: [
          { field: 'retiredAt', absent: true },
          { field: 'retiredAt', from: DAY(4) },
        ],
      },
    ],
    ['two'],
  ],
];

/** What a filter means, the same in `scan`, `count`, dense and sparse search. */
export function describeFilters(store: () => VectorStore): void {
  describe('filters', () => {
    beforeEach(async () => {
      const all = Object.entries(POINTS).map(([name, payload]) => point(name, payload, { vector: [1, 0, 0, 0], text: 'tea' }));
      await store().upsert('ann', writes(...all, point('other', { ...POINTS.two }, { vector: [0, 1, 0, 0] })));
      await store().remove('ann', [idOf('other')]);
    });

    for (const [title, filter, expected] of CASES) {
      it(`mean ${title}`, async () => {
        const ids = expected.map((name) => idOf(name)).sort();
        const scanned = (await store().scan('ann', { filter })).points.map(({ id }) => id);
        const [dense, sparse] = await store().search('ann', [
          { dense: [1, 0, 0, 0], filter, limit: 10 },
          { sparse: ['tea'], filter, limit: 10 },
        ]);
        assert.deepEqual(scanned, ids);
        assert.equal(await store().count('ann', filter), ids.length);
        assert.deepEqual(
          dense?.map((hit) => hit.point.id),
          ids,
        );
        assert.deepEqual(
          sparse?.map((hit) => hit.point.id),
          ids,
        );
      });
    }

    it('are refused when they name a field that is not indexed, or say nothing that can be true', async () => {
      const bad: Condition[] = [
        { field: 'text' as IndexedField, anyOf: ['x'] },
        { field: 'constructor' as IndexedField, absent: true },
        { field: "kind' or 1=1 --" as IndexedField, absent: true },
        { any: [{ field: 'metadata' as IndexedField, absent: true }] },
        { field: 'kind' },
        { field: 'version', from: 1, below: 'x' },
        { field: 'version', from: Number.NaN },
        { field: 'version', anyOf: [Number.POSITIVE_INFINITY] },
      ];
      for (const condition of bad) {
        await assert.rejects(store().scan('ann', { filter: [condition] }), kind('validation'));
        await assert.rejects(store().count('ann', [condition]), kind('validation'));
        await assert.rejects(store().search('ann', [{ dense: [1, 0, 0, 0], filter: [condition], limit: 1 }]), kind('validation'));
      }
    });

    it('find values that hold quotes, NUL and lists of a thousand', async () => {
      const odd = ["o'mira", '"', 'a\u0000b', 'a', '\u0001', '用户', '%', '\u{10ffff}', '\ufffd'];
      await store().upsert('ann', writes(...odd.map((value) => point(`odd ${value}`, { document: value }))));
      for (const value of odd) {
        const found = await store().scan('ann', { filter: [{ field: 'document', anyOf: [value] }] });
        assert.deepEqual(
          found.points.map(({ payload }) => payload['document']),
          [value],
        );
      }
      const many = Array.from({ length: 1000 }, (_, i) => `none ${i}`);
      assert.equal(await store().count('ann', [{ field: 'document', anyOf: [...many, '用户'] }]), 1);
    });
  });
}
