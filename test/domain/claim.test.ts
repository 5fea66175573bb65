import assert from 'node:assert/strict';

import { asField, claim, inlay, isClaim, isInlay, refTo } from '../../src/domain/claim.js';

describe('a text on its way through a workflow', () => {
  it('is known by its mark, and nothing else is', () => {
    assert.ok(isClaim(claim('ann', 'tea')));
    assert.ok(isInlay(inlay('ann', 'r') as unknown as object));
    for (const other of [{}, [], refTo('r'), { text: 'engraph:claim' }, Object.create({ 'engraph:claim': {} }) as object]) {
      assert.ok(!isClaim(other));
      assert.ok(!isInlay(other));
    }
  });

  it('stands in an agent’s input as it is where carried along, as an inlay where kept', () => {
    assert.equal(asField('ann', claim('ann', 'tea')), 'tea');
    assert.deepEqual(asField('ann', refTo('r')), { 'engraph:inlay': { space: 'ann', ref: 'r' } });
  });
});
