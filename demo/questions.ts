import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Fact } from './facts.js';
import type { InstalledPackage } from './packages.js';

/** A question with the fact that its judge holds against the answers. */
export interface Question {
  /** In a few words, for the table. */
  readonly topic: string;
  readonly instruction: string;
  readonly fact: Fact;
}

const LICENCE = [
  (name: string) => `Under which licence is ${name} published?`,
  (name: string) => `On what terms may ${name} be used in a product that is sold?`,
  (name: string) => `A lawyer asks: on what terms may we ship ${name} with our program?`,
];
const VERSION = [
  (name: string) => `What is the newest version of ${name}?`,
  (name: string) => `Which release of ${name} is the latest release that a user can get today?`,
];
const AUTHOR = [(name: string) => `Who wrote ${name}?`, (name: string) => `Whose work is ${name}, which person is its author?`];

/** For names that are not exact, where the words of the question have to find the right place. */
const LOOSE_LICENCE = [
  (name: string) => `Under which licence is ${name} published?`,
  (name: string) => `Which licence does ${name} have: MIT, ISC, BSD-3-Clause or Apache-2.0?`,
  (name: string) => `On which license terms do we get ${name}: MIT, ISC, BSD-3-Clause, Apache-2.0?`,
];

const quoted = (name: string): string => `\`${name}\``;

/** Questions about one package, by its name, whose truth its package.json states. */
export function questionsAbout(one: InstalledPackage, all: readonly InstalledPackage[]): Question[] {
  const name = quoted(one.name);
  const licence = licenceFact(one, all, name);
  const person = authorFact(one, all, name);
  return [
    ...(licence === undefined
      ? []
      : LICENCE.map((ask) => ({ topic: `licence of ${one.name}`, instruction: ask(name), fact: licence }))),
    ...(one.changes === undefined
      ? []
      : VERSION.map((ask) => ({
          topic: `newest version of ${one.name}`,
          instruction: ask(name),
          fact: newestFact(one, all, name),
        }))),
    ...(person === undefined
      ? []
      : AUTHOR.map((ask) => ({ topic: `author of ${one.name}`, instruction: ask(name), fact: person }))),
  ];
}

/**
 * Questions that name a package in plain words (`mime-types` as mime types) or describe it, as people do who don't have the
 * exact name at hand. Others can be taken for it.
 */
export function looseQuestions(one: InstalledPackage, all: readonly InstalledPackage[]): Question[] {
  return looseNames(one).flatMap(({ name, how }) => {
    const licence = licenceFact(one, all, name);
    const person = authorFact(one, all, name);
    const asked = (topic: string, instruction: string, fact: Fact): Question => ({
      topic: `${topic} of ${one.name}, ${how}`,
      instruction,
      fact,
    });
    return [
      ...(licence === undefined ? [] : LOOSE_LICENCE.map((ask) => asked('licence', ask(name), licence))),
      ...(person === undefined ? [] : AUTHOR.map((ask) => asked('author', ask(name), person))),
      ...(one.changes === undefined ? [] : VERSION.map((ask) => asked('newest version', ask(name), newestFact(one, all, name)))),
    ];
  });
}

function looseNames({ name, description }: InstalledPackage): { name: string; how: string }[] {
  const words = name.replace(/^@/u, '').split(/[^\p{L}\p{N}]+/u);
  const said = description?.replace(/[`"“”]+|\.$/gu, '').trim() ?? '';
  return [
    ...(words.length > 1 ? [{ name: `the ${words.join(' ')} package`, how: 'in plain words' }] : []),
    ...(said.length >= 15 && said.length <= 110
      ? [{ name: `the package described as "${said}"`.replaceAll('"', ''), how: 'by what it does' }]
      : []),
  ];
}

/** A question for the release that a change belongs to, given a change of the newest release, whose number package.json states. */
export function questionAboutChange(one: InstalledPackage, change: string): Question {
  const name = quoted(one.name);
  return {
    topic: `release of ${one.name} with a change`,
    instruction: `Which version of ${name} has this in its change log: ${change}?`,
    fact: {
      ...{ kind: 'version', value: one.version, others: [] },
      missing: `There is no version number in the answer; the entry of ${name} that the question speaks of is cut off from the heading it stands under.`,
      wrong: `Not the release of ${name} that this change came with: the entry was read cut off from the heading it stands under.`,
    },
  };
}

/** A question that no document answers: the size of a file, known to the file system only. */
export function questionAboutSize(one: InstalledPackage): Question {
  const name = quoted(one.name);
  return {
    topic: `bytes of a file of ${one.name}`,
    instruction: `How many bytes does the file package.json of ${name} have on this machine?`,
    fact: {
      ...{ kind: 'bytes', value: String(statSync(join(one.folder, 'package.json')).size), others: [] },
      missing: `There is no number of bytes in the answer. The size of package.json of ${name} is asked for.`,
      wrong: `This is not the size of package.json of ${name}, counted in bytes.`,
    },
  };
}

function licenceFact({ licence }: InstalledPackage, all: readonly InstalledPackage[], name: string): Fact | undefined {
  if (licence === undefined || /[ ()]/u.test(licence)) return undefined;
  return {
    ...{ kind: 'licence', value: licence, others: distinct(all.map((one) => one.licence)) },
    missing: `The answer names no licence. The README of ${name} has a section about its license.`,
    wrong: `This is not the licence of ${name}.`,
    elsewhere: `This is the licence of another package, not of ${name}.`,
  };
}

function newestFact(one: InstalledPackage, all: readonly InstalledPackage[], name: string): Fact {
  const own = one.changes === undefined ? '' : readFileSync(one.changes, 'utf8');
  return {
    ...{
      kind: 'version',
      value: one.version,
      others: distinct(all.map(({ version }) => version)).filter((version) => !own.includes(version)),
    },
    missing: `There is no version number in the answer. Look at the top of the change log of ${name}.`,
    wrong: `This is not the newest release of ${name}. Look at the top of the change log of ${name}.`,
    elsewhere: `This is a release of another package, not of ${name}.`,
  };
}

function authorFact({ author }: InstalledPackage, all: readonly InstalledPackage[], name: string): Fact | undefined {
  if (author === undefined) return undefined;
  return {
    ...{ kind: 'person', value: author, others: distinct(all.map((one) => one.author)) },
    missing: `The answer names no person. The README of ${name} says who made it, near license and copyright.`,
    wrong: `This person did not write ${name}. Its README says who did, near license and copyright.`,
    elsewhere: `This is the author of another package, not of ${name}.`,
  };
}

const distinct = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
