import assert from 'node:assert/strict';

import fc from 'fast-check';

import { acceptEdits } from '../../activities/attribution.js';
import { EDIT_KINDS, FAULTS, isOutsideMemory, type EditKind } from '../../src/domain/edit.js';
import type { AttributionReply } from '../../src/prompts/inputs.js';

const links = [1, 2, 3].map((number) => ({ number, nodeId: `node-${number}` }));
const reply = (fault: AttributionReply['fault'], ...edits: AttributionReply['edits']): AttributionReply => ({
  reason: 'r',
  fault,
  edits,
});
const accept = (given: AttributionReply, allowed: readonly EditKind[] = EDIT_KINDS) => acceptEdits(given, { links, allowed });

const anEdit: fc.Arbitrary<AttributionReply['edits'][number]> = fc.oneof(
  fc.constantFrom({ edit: 'expand' } as const, { edit: 'bypass' } as const),
  fc.record({ edit: fc.constant('prune' as const), nodes: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }) }),
  fc.record({
    edit: fc.constant('reshape' as const),
    node: fc.integer({ min: 0, max: 5 }),
    direction: fc.constantFrom('finer' as const, 'coarser' as const),
  }),
);

describe('what is accepted of an attribution', () => {
  it('is several edits at once, prunes joined', () => {
    const given = reply(
      'noise',
      { edit: 'prune', nodes: [3] },
      { edit: 'expand' },
      { edit: 'prune', nodes: [1, 3] },
      { edit: 'reshape', node: 2, direction: 'finer' },
    );
    assert.deepEqual(accept(given), {
      ...{ fault: 'noise', refused: [], attributed: true },
      edits: [{ edit: 'prune', nodes: [1, 3] }, { edit: 'expand' }, { edit: 'reshape', node: 2, direction: 'finer' }],
    });
  });

  it('is no number that was not shown: those are refused and told', () => {
    const given = reply('noise', { edit: 'prune', nodes: [9, 1, 9] }, { edit: 'reshape', node: 8, direction: 'finer' });
    const { edits, refused } = accept(given);
    assert.deepEqual([edits, refused], [[{ edit: 'prune', nodes: [1] }], [9, 8]]);
  });

  it('is no edit that the caller does not allow', () => {
    const given = reply('noise', { edit: 'prune', nodes: [1] }, { edit: 'expand' }, { edit: 'bypass' });
    assert.deepEqual(accept(given, ['expand']).edits, [{ edit: 'expand' }]);
  });

  it('is one reshape a node, and none of a node that is pruned', () => {
    const twice = [
      { edit: 'reshape', node: 2, direction: 'finer' },
      { edit: 'reshape', node: 2, direction: 'coarser' },
      { edit: 'reshape', node: 1, direction: 'finer' },
    ] as const;
    assert.deepEqual(accept(reply('granularity', ...twice, { edit: 'prune', nodes: [1] })).edits, [
      { edit: 'prune', nodes: [1] },
      twice[0],
    ]);
  });

  for (const fault of FAULTS.filter(isOutsideMemory)) {
    it(`edits nothing where the fault is ${fault}, whatever else is said`, () => {
      assert.deepEqual(accept(reply(fault, { edit: 'prune', nodes: [1, 77] }, { edit: 'expand' })), {
        fault,
        edits: [],
        refused: [],
        attributed: true,
      });
    });
  }

  it('holds for any reply: allowed edits of shown nodes, each kind in bounds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FAULTS),
        fc.array(anEdit, { maxLength: 8 }),
        fc.subarray([...EDIT_KINDS]),
        (fault, edits, allowed) => {
          const accepted = accept(reply(fault, ...edits), allowed);
          const count = (kind: string): number => accepted.edits.filter(({ edit }) => edit === kind).length;
          assert.ok(accepted.edits.every(({ edit }) => allowed.includes(edit)));
          assert.ok(count('expand') <= 1 && count('prune') <= 1 && count('bypass') <= 1);
          const named = accepted.edits.flatMap((edit) =>
            edit.edit === 'prune' ? edit.nodes : edit.edit === 'reshape' ? [edit.node] : [],
          );
          assert.ok(named.every((number) => number >= 1 && number <= 3));
          if (allowed.includes('prune')) assert.equal(new Set(named).size, named.length);
          assert.ok(accepted.refused.every((number) => number < 1 || number > 3));
        },
      ),
    );
  });
});
