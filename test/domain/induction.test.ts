import assert from 'node:assert/strict';

import { induceSkill, rewriteSkill } from '../../src/adapters/rules-skill.js';
import { fingerprintOf } from '../../src/domain/fingerprint.js';
import { induceProcedure, type Experience } from '../../src/domain/induction.js';
import { linesRead, parseProcedure, writeProcedure } from '../../src/domain/procedure.js';

/** A day in an office: a note says which letters to sign and which to burn, and where; what is on it differs from day to day. */
function office(letters: readonly string[], jobs: readonly [string, string][], more: readonly string[] = []): Experience {
  const note = `Letters:\n  ${letters.join('\n  ')}\n\nJobs:\n  ${jobs.map(([job, letter]) => `${job} the ${letter}`).join('\n  ')}`;
  const how: Readonly<Record<string, string>> = { sign: 'with the pen', burn: 'over the candle', file: 'under the seal' };
  const actions = [
    'open the drawer',
    'read the note',
    ...more,
    ...letters.map((letter) => `fetch ${letter}`),
    ...jobs.map(([job, letter]) => `hold ${letter} ${how[job] ?? ''}`),
    'ring the bell',
  ];
  return {
    instruction: 'Do what the note says',
    trajectory: actions.map((action, at) => ({ observation: at === 2 ? note : at === 0 ? 'a dark room' : '', action })),
  };
}

const DAYS = [
  office(
    ['red letter', 'small parcel'],
    [
      ['sign', 'red letter'],
      ['burn', 'small parcel'],
    ],
  ),
  office(
    ['blue card', 'old deed'],
    [
      ['burn', 'old deed'],
      ['sign', 'blue card'],
    ],
    ['light a lamp'],
  ),
  office(['torn map', 'long bill'], [['file', 'torn map']]),
];

describe('induction by rules', () => {
  it('finds what is done each time, and what is done with what was read', () => {
    const { steps, onTheWay, tasks } = induceProcedure(DAYS);
    assert.deepEqual(tasks, ['Do what the note says']);
    assert.deepEqual(steps, [
      { action: 'open the drawer' },
      { action: 'read the note' },
      { cue: 'Letters: {1}', action: 'fetch {1}' },
      { cue: 'Jobs: sign the {1}', action: 'hold {1} with the pen' },
      { cue: 'Jobs: burn the {1}', action: 'hold {1} over the candle' },
      { cue: 'Jobs: file the {1}', action: 'hold {1} under the seal' },
      { action: 'ring the bell' },
    ]);
    assert.deepEqual(onTheWay, ['light a lamp']);
  });

  it('generalises from a single episode what its own list shows', () => {
    const { steps } = induceProcedure(DAYS.slice(0, 1));
    assert.ok(steps.some(({ cue, action }) => cue === 'Letters: {1}' && action === 'fetch {1}'));
    assert.ok(steps.some(({ cue }) => cue === 'Jobs: sign the {1}'));
  });

  it('knows no word: a vocabulary renamed throughout gives the same procedure, renamed', () => {
    const renamed = (text: string): string => text.replace(/\p{L}+/gu, (word) => [...word].reverse().join(''));
    const days = DAYS.map(({ instruction, trajectory }) => ({
      instruction: renamed(instruction),
      trajectory: trajectory.map(({ observation, action }) => ({ observation: renamed(observation), action: renamed(action) })),
    }));
    const forms = ({ steps }: ReturnType<typeof induceProcedure>): string[] =>
      steps.map(({ cue = '', action }) => `${cue} -> ${action}`).sort();
    assert.deepEqual(forms(induceProcedure(days)), forms(induceProcedure(DAYS)).map(renamed).sort());
  });

  it('keeps repetition: an act that each episode has twice is two steps', () => {
    const knock = {
      instruction: 'Get in',
      trajectory: ['knock', 'knock', 'enter'].map((action) => ({ observation: '', action })),
    };
    assert.deepEqual(
      induceProcedure([knock, knock]).steps.map(({ action }) => action),
      ['knock', 'knock', 'enter'],
    );
  });

  it('leaves out what ended an episode that failed, unless each success has it', () => {
    const stray = office(['grey slip'], [['sign', 'grey slip']], ['kick the door']);
    const failed = { instruction: 'Do what the note says', trajectory: [{ observation: '', action: 'kick the door' }] };
    const has = (days: readonly Experience[]): boolean => {
      const { steps, onTheWay } = induceProcedure(days, [failed]);
      return [...steps.map(({ action }) => action), ...onTheWay].includes('kick the door');
    };
    assert.equal(has([...DAYS, stray]), false);
    assert.equal(has([stray, stray]), true);
  });

  it('takes the shortest way where nothing is common, and nothing from nothing', () => {
    const act = (...actions: string[]): Experience => ({
      instruction: 'x',
      trajectory: actions.map((action) => ({ observation: '', action })),
    });
    assert.deepEqual(
      induceProcedure([act('a', 'b'), act('c')]).steps.map(({ action }) => action),
      ['c'],
    );
    assert.deepEqual(induceProcedure([]).steps, []);
  });

  it('writes a text that is read as it was written', () => {
    const procedure = induceProcedure(DAYS);
    assert.deepEqual(parseProcedure(writeProcedure(procedure)), procedure);
    assert.deepEqual(parseProcedure('Nothing of the kind.').steps, []);
  });

  it('rewrites to a text that was not tried, and leaves the skill where all were', () => {
    const shown = DAYS.map((day) => ({ ...day, feedback: '' }));
    const broken = writeProcedure({ tasks: ['Do what the note says'], steps: [{ action: 'ring the bell' }], onTheWay: [] });
    const first = rewriteSkill({ known: broken, successes: shown, failures: [], tried: [] }).text;
    assert.equal(first, induceSkill({ successes: shown, failures: [] }).text);
    const tried = [first];
    for (let more = 0; more < 3; more++) tried.push(rewriteSkill({ known: broken, successes: shown, failures: [], tried }).text);
    assert.equal(tried.at(-1), broken);
    assert.equal(rewriteSkill({ known: broken, successes: [], failures: [], tried: [] }).text, broken);
  });
});

describe('lines that were read', () => {
  it('have the heading that they stand under, until a blank line', () => {
    assert.deepEqual(linesRead('Hello\nList:\n  a\n b\n\nend'), ['Hello', 'List: a', 'List: b', 'end']);
  });
});

describe('the fingerprint of an instruction', () => {
  const same = (a: string, b: string): boolean => fingerprintOf(a) === fingerprintOf(b);

  it('is of its words, not of amounts, order, case or punctuation', () => {
    assert.ok(same('Book 2 tickets to Rome', 'book 17 tickets: to ROME!'));
    assert.ok(!same('Book tickets to Rome', 'Book tickets to Oslo'));
    assert.ok(!same('42', '43'));
  });
});
