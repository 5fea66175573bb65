import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

import { hashOf } from '../src/domain/id.js';
import { deepChanges } from './changes.js';
import { mentions } from './facts.js';
import type { InstalledPackage } from './packages.js';
import { questionsAbout } from './questions.js';
import type { Random } from './random.js';

/** A document to learn: its path from the project's folder names it. */
export interface DemoDocument {
  readonly document: string;
  readonly title: string;
  readonly text: string;
  /** The package it belongs to; absent for the project's own. */
  readonly package?: string;
}

/** Documents larger than this would take the whole budget for themselves, in characters. */
const LARGEST_README = 7_000;
const LARGEST_CHANGES = 14_000;

/** Packages drawn first whose newest release has entries far below its heading: where a chunk tears them off, a task reshapes. */
const TORN = 3;
const LARGEST_OWN = 25_000;

/** Packages that seeds draw from: enough for many different draws, few enough that a test of twenty embeds most of them once. */
const POOL = { torn: 7, logged: 24, others: 30 };

/** Characters of all documents together: a few hundred chunks of at most 512, in under half a minute on one core. */
const BUDGET = 110_000;
const OWN_BUDGET = 30_000;

/** What is learned besides where the first documents don't give every kind of task. */
const FURTHER = 30_000;

/** Draws the documents that are learned: the project's own pages, and those of packages. */
export function drawDocuments(project: string, packages: readonly InstalledPackage[], random: Random): DemoDocument[] {
  const own = ownDocuments(project);
  const left = BUDGET - own.reduce((sum, { text }) => sum + text.length, 0);
  return [...own, ...drawPackages(project, packages, random, left, new Set())];
}

/** Draws further documents, of packages that none of those before belongs to; none where there are none left. */
export function drawFurther(
  project: string,
  packages: readonly InstalledPackage[],
  random: Random,
  before: readonly DemoDocument[],
): DemoDocument[] {
  return drawPackages(project, packages, random, FURTHER, new Set(before.flatMap((one) => one.package ?? [])));
}

/**
 * Documents of packages in a drawn order until the budget is used up. A few with a long newest release come first; then those
 * with a change log alternate with those that have a README only. A package brings those along whose names hold its own.
 */
function drawPackages(
  project: string,
  packages: readonly InstalledPackage[],
  random: Random,
  budget: number,
  taken: Set<string>,
): DemoDocument[] {
  const documents: DemoDocument[] = [];
  let left = budget;
  for (const found of drawnOrder(packages, random)) {
    for (const one of [found, ...relativesOf(found, packages)]) {
      if (taken.has(one.name)) continue;
      taken.add(one.name);
      const its = documentsOf(project, one);
      const size = its.reduce((sum, { text }) => sum + text.length, 0);
      if (its.length === 0 || size > left) continue;
      documents.push(...its);
      left -= size;
    }
  }
  return documents;
}

function drawnOrder(packages: readonly InstalledPackage[], random: Random): InstalledPackage[] {
  const telling = packages.filter((one) => saysSomething(one, packages));
  const logged = telling.filter(({ changes }) => changes !== undefined && sizeOf(changes) <= LARGEST_CHANGES);
  const isTorn = ({ changes = '', version }: InstalledPackage): boolean =>
    deepChanges(readFileSync(changes, 'utf8'), version).length > 0;
  const pool = (some: readonly InstalledPackage[], most: number): InstalledPackage[] =>
    random.shuffled(byHash(some).slice(0, most));
  const torn = pool(logged.filter(isTorn), POOL.torn);
  const whole = pool(
    logged.filter((one) => !isTorn(one)),
    POOL.logged,
  );
  const others = pool(
    telling.filter(({ changes }) => changes === undefined),
    POOL.others,
  );
  return [
    ...torn.slice(0, TORN),
    ...others.flatMap((other, at) => [...whole.slice(at, at + 1), other]),
    ...whole.slice(others.length),
  ];
}

/** An arbitrary order that is the same for every seed. */
function byHash(packages: readonly InstalledPackage[]): InstalledPackage[] {
  const keyed = packages.map((one) => ({ one, hash: hashOf(one.name) }));
  return keyed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ one }) => one);
}

/** Whether its documents hold the answer to a question that can be asked of it. */
function saysSomething(one: InstalledPackage, all: readonly InstalledPackage[]): boolean {
  const text = [one.readme, one.changes].map((path) => (path === undefined ? '' : readFileSync(path, 'utf8'))).join('\n');
  return questionsAbout(one, all).some(({ fact }) => mentions(fact, text));
}

/** Packages that are easily taken for this one, since their names hold its name. At most two. */
function relativesOf({ name }: InstalledPackage, packages: readonly InstalledPackage[]): InstalledPackage[] {
  return packages.filter((other) => other.name !== name && other.name.startsWith(`${name}-`)).slice(0, 2);
}

function documentsOf(project: string, { name, readme, changes }: InstalledPackage): DemoDocument[] {
  const read = (path: string | undefined, title: string, largest: number): DemoDocument[] =>
    path === undefined || sizeOf(path) > largest || sizeOf(path) === 0
      ? []
      : [{ document: relative(project, path), title: `${name}: ${title}`, text: readFileSync(path, 'utf8'), package: name }];
  return [...read(readme, 'README', LARGEST_README), ...read(changes, 'change log', LARGEST_CHANGES)];
}

function ownDocuments(project: string): DemoDocument[] {
  const docs = join(project, 'docs');
  const pages = existsSync(docs)
    ? readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
    : [];
  const paths = ['README.md', 'CHANGELOG.md', ...pages.sort().map((path) => join('docs', path))];
  let left = OWN_BUDGET;
  return paths.flatMap((path) => {
    const whole = join(project, path);
    if (!existsSync(whole) || sizeOf(whole) > Math.min(LARGEST_OWN, left)) return [];
    left -= sizeOf(whole);
    return [{ document: path, title: `Engraph: ${path}`, text: readFileSync(whole, 'utf8') }];
  });
}

const sizeOf = (path: string): number => statSync(path).size;
