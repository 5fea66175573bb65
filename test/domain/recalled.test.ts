import assert from 'node:assert/strict';

import { serialiseContext } from '../../src/domain/context.js';
import { repeats, withoutContext } from '../../src/domain/recalled.js';

describe('recalled memory', () => {
  it('is taken out of a turn that it was pasted into, whole', () => {
    const { text } = serialiseContext([
      { n: 1, id: 'a', kind: 'semantic', title: 'notes', text: 'Mira <b> keeps "two" ferrets' },
    ]);
    assert.equal(withoutContext(`${text}\nWhat do they eat?`), 'What do they eat?');
    assert.equal(withoutContext(text), '');
    const cutOff = text.slice(0, text.indexOf('</semantic_memory>'));
    assert.ok(!withoutContext(cutOff).includes('ferrets'));
  });

  it('leaves a turn that only speaks of memory as it is', () => {
    for (const text of ['Use <memory> for that', 'a <semantic_memory> tag', '<memory n="1">x</memory>'])
      assert.equal(withoutContext(text), text);
  });

  const repetitions: readonly (readonly [string, string])[] = [
    ['Mira keeps two ferrets', 'Mira: I keep two ferrets.'],
    ['You keep two ferrets.', 'Mira keeps two ferrets, Pip and Pop.'],
    ['Mira is not allergic to peanuts', 'Mira is NOT allergic to peanuts'],
  ];
  for (const [statement, memory] of repetitions) {
    it(`is repeated by "${statement}" where it says "${memory}"`, () => assert.ok(repeats(statement, memory)));
  }

  const news: readonly (readonly [string, string])[] = [
    ['Mira is allergic to peanuts', 'Mira is not allergic to peanuts'],
    ['Mira likes tea', 'Mira told Bo that Ann likes tea'],
    ['Mira keeps three ferrets', 'Mira keeps two ferrets'],
    ['Ferrets', 'Mira keeps two ferrets'],
  ];
  for (const [statement, memory] of news) {
    it(`is not repeated by "${statement}" where it says "${memory}"`, () => assert.ok(!repeats(statement, memory)));
  }
});
