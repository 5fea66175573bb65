import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** An installed package: where its documents are, and the facts that its package.json states. */
export interface InstalledPackage {
  readonly name: string;
  readonly folder: string;
  readonly version: string;
  readonly licence?: string;
  readonly author?: string;
  readonly description?: string;
  /** Paths of its documents, where it has them. */
  readonly readme?: string;
  readonly changes?: string;
}

const README = /^readme(?:\.(?:md|markdown|txt))?$/iu;
const CHANGES = /^(?:change-?log|changes|history)(?:\.(?:md|markdown|txt))?$/iu;

/** The packages of a node_modules folder, by name; a package that another one brings along for itself is left out. */
export function installedPackages(nodeModules: string): InstalledPackage[] {
  const folders = readdirSync(nodeModules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? readdirSync(join(nodeModules, name)).map((inner) => join(nodeModules, name, inner))
        : [join(nodeModules, name)],
    );
  return folders.flatMap((folder) => packageAt(folder) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageAt(folder: string): InstalledPackage | undefined {
  const entries = readdirSync(folder);
  if (!entries.includes('package.json')) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license, description } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  const author = authorOf(manifest['author']);
  const find = (pattern: RegExp): string | undefined => {
    const found = entries.find((entry) => pattern.test(entry) && statSync(join(folder, entry)).isFile());
    return found === undefined ? undefined : join(folder, found);
  };
  const readme = find(README);
  const changes = find(CHANGES);
  return {
    ...{ name, folder, version },
    ...(typeof license === 'string' && { licence: license }),
    ...(author !== undefined && { author }),
    ...(typeof description === 'string' && { description }),
    ...(readme !== undefined && { readme }),
    ...(changes !== undefined && { changes }),
  };
}

/** A person's name out of `Name <mail> (url)` or `{ name }`; nothing where it isn't at least a first and a last name. */
function authorOf(author: unknown): string | undefined {
  const stated = typeof author === 'object' && author !== null ? (author as { name?: unknown }).name : author;
  if (typeof stated !== 'string') return undefined;
  const name = stated.replace(/\s*[<(].*$/u, '').trim();
  return /^\p{Lu}[\p{L}.'’-]+(?: \p{L}[\p{L}.'’-]*)+$/u.test(name) ? name : undefined;
}
