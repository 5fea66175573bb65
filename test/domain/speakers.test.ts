import assert from 'node:assert/strict';

import fc from 'fast-check';

import { speakersIn } from '../../src/domain/speakers.js';

const NAMES = ['Caroline', 'Melanie'];

describe('speakersIn', () => {
  it('finds who is named, and leaves what is asked of them', () => {
    assert.deepEqual(speakersIn("When did Caroline's group meet?", NAMES), { named: ['Caroline'], rest: 'When did group meet?' });
    assert.deepEqual(speakersIn('what do melanie and Caroline paint', NAMES), {
      named: ['Caroline', 'Melanie'],
      rest: 'what do and paint',
    });
    assert.deepEqual(speakersIn('What do Carolines paint?', NAMES), { named: [], rest: 'What do Carolines paint?' });
  });

  it('knows a person by a part of the name, and leaves open whose part it is', () => {
    const names = ['Ann Lee', 'Ann Ray', 'Bo van der Meer'];
    assert.deepEqual(speakersIn('What did Ann Ray cook?', names), { named: ['Ann Ray'], rest: 'What did cook?' });
    assert.deepEqual(speakersIn('What did Ann cook?', names), { named: ['Ann Lee', 'Ann Ray'], rest: 'What did cook?' });
    assert.deepEqual(speakersIn('Has van der Meer cooked?', names).named, ['Bo van der Meer']);
  });

  it('takes a common word for a name only as the name is written', () => {
    assert.deepEqual(speakersIn('what will they cook', ['Will']), { named: [], rest: 'what will they cook' });
    assert.deepEqual(speakersIn('What did Will cook?', ['Will']), { named: ['Will'], rest: 'What did cook?' });
  });

  it('finds names in scripts without spaces', () => {
    assert.deepEqual(speakersIn('李明昨天吃了什么', ['李明', '王芳']), { named: ['李明'], rest: '昨天吃了什么' });
  });

  it('leaves a query as it is that would ask nothing any more', () => {
    assert.deepEqual(speakersIn('Who is Caroline?', NAMES), { named: ['Caroline'], rest: 'Who is Caroline?' });
    assert.deepEqual(speakersIn('Melanie', NAMES), { named: ['Melanie'], rest: 'Melanie' });
  });

  it('never fails, names only who is known, and never makes a query blank that was not', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('A', 'n', ' ', "'", '-', '李') }));
    fc.assert(
      fc.property(text, fc.array(text), (query, names) => {
        const { named, rest } = speakersIn(query, names);
        assert.ok(named.every((name) => names.includes(name)));
        assert.ok(rest.trim() !== '' || query.trim() === '');
      }),
    );
  });
});
