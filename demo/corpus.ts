import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

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

/** Characters of all documents together: a few hundred chunks of at most 512, in under half a minute on one core. */
const BUDGET = 110_000;
const OWN_BUDGET = 30_000;

/**
 * Draws what is learned: the project's own pages, then packages in a drawn order until the budget is used up. A few with a
 * long newest release come first; then those with a change log alternate with those that have a README only. A package
 * brings those along whose names hold its own.
 */
export function drawDocuments(project: string, packages: readonly InstalledPackage[], random: Random): DemoDocument[] {
  const documents = ownDocuments(project);
  let left = BUDGET - documents.reduce((sum, { text }) => sum + text.length, 0);
  const taken = new Set<string>();
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
  const drawn = random.shuffled(packages.filter((one) => saysSomething(one, packages)));
  const logged = drawn.filter(({ changes }) => changes !== undefined && sizeOf(changes) <= LARGEST_CHANGES);
  const torn = logged
    .filter(({ changes, version }) => changes !== undefined && deepChanges(readFileSync(changes, 'utf8'), version).length > 0)
    .slice(0, TORN);
  const rest = logged.filter((one) => !torn.includes(one));
  const others = drawn.filter(({ changes, readme }) => changes === undefined && readme !== undefined);
  const mixed = others.flatMap((other, at) => [...rest.slice(at, at + 1), other]);
  return [...torn, ...mixed, ...rest.slice(others.length)];
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
