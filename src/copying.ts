import { createHash } from 'node:crypto';

import { EngraphError } from './domain/failure.js';
import type { Json } from './domain/json.js';
import type { CallOptions, StoredPoint, VectorStore } from './ports/vector-store.js';
import { canonical } from './store/export.js';
import { scanAll } from './store/scanning.js';
import { BATCH } from './store/versions.js';

/** What became of one space. */
export interface SpaceCopied {
  readonly space: string;
  /** Points of the source: every version of every node, retired ones too, and every plain record. */
  readonly points: number;
  /** Points that were written, since the target had them not or otherwise. */
  readonly written: number;
  /** Points of the target that the source has not and that were removed, where that was asked for. */
  readonly removed: number;
  /** Points that differ still when both were read again: written meanwhile, or the target's own. 0 is a true copy. */
  readonly differing: number;
  /** SHA-256 over all points (ids, payloads, words) of each side, in the order of ids. */
  readonly hashes: { readonly from: string; readonly to: string };
}

export interface CopyOptions extends CallOptions {
  /** Removes from the target what the source has not. False by default: such points are left and counted as differing. */
  readonly prune?: boolean;
  /** Called while points are compared and written. */
  readonly onPoint?: (done: { readonly compared: number; readonly written: number }) => void;
}

/**
 * Makes the target's space the same as the source's, point by point: vectors, words, payloads. The target is its own record of
 * progress: what is there already and the same is not written again, so a copy that was cut goes on where it was, and one made
 * twice writes nothing. Then both sides are read once more and compared. Revisions begin anew in the target, and tokens of
 * past operations are not copied: copy while no worker runs, and let no operation be repeated across the copy. Both stores must
 * have been told their embedding. Fails with `not_found` for a space that the source has not.
 */
export async function copySpace(
  from: VectorStore,
  to: VectorStore,
  space: string,
  { prune = false, onPoint, signal }: CopyOptions = {},
): Promise<SpaceCopied> {
  const options = signal === undefined ? {} : { signal };
  if ((await from.count(space, [], options)) === 0)
    throw new EngraphError(
      'not_found',
      `the source has no space ${JSON.stringify(space)}: \`engraph spaces\` tells what there is`,
    );
  const writer = new Batches(to, space, options);
  let compared = 0;
  const before = await compare(
    sideBySide(from, to, space, options),
    async ({ ours, theirs }) => {
      if (ours !== undefined) await writer.write(ours);
      else if (theirs !== undefined && prune) await writer.remove(theirs);
    },
    () => onPoint?.({ compared: ++compared, written: writer.written }),
  );
  await writer.flush();
  const { written, removed } = writer;
  // Nothing was changed: what was just read is what there is.
  const after = written + removed === 0 ? before : await compare(sideBySide(from, to, space, options));
  return { space, points: after.points, written, removed, differing: after.differing, hashes: after.hashes };
}

/** One point as it is in the source, in the target or in both. */
interface Pair {
  readonly ours?: StoredPoint;
  readonly theirs?: StoredPoint;
}

interface Comparison {
  readonly points: number;
  readonly differing: number;
  readonly hashes: SpaceCopied['hashes'];
}

async function compare(
  pairs: AsyncIterable<Pair>,
  onDifference: (pair: Pair) => Promise<void> = () => Promise.resolve(),
  onPair: () => void = () => {},
): Promise<Comparison> {
  const hashes = { from: createHash('sha256'), to: createHash('sha256') };
  let [points, differing] = [0, 0];
  for await (const pair of pairs) {
    const { ours, theirs } = pair;
    if (ours !== undefined) {
      points += 1;
      hashes.from.update(`${saidBy(ours)}\n`);
    }
    if (theirs !== undefined) hashes.to.update(`${saidBy(theirs)}\n`);
    if (!isSame(ours, theirs)) {
      differing += 1;
      await onDifference(pair);
    }
    onPair();
  }
  return { points, differing, hashes: { from: hashes.from.digest('hex'), to: hashes.to.digest('hex') } };
}

/** Walks both stores at once in the order of ids, a page of each at a time. */
async function* sideBySide(from: VectorStore, to: VectorStore, space: string, options: CallOptions): AsyncGenerator<Pair> {
  const query = { filter: [], with: { vector: true, terms: true } };
  const [left, right] = [scanAll(from, space, query, options), scanAll(to, space, query, options)];
  let [ours, theirs] = [await left.next(), await right.next()];
  while (ours.done !== true || theirs.done !== true) {
    const [a, b] = [ours.done === true ? undefined : ours.value, theirs.done === true ? undefined : theirs.value];
    const isOurs = a !== undefined && (b === undefined || a.id <= b.id);
    const isTheirs = b !== undefined && (a === undefined || b.id <= a.id);
    yield { ...(isOurs && { ours: a }), ...(isTheirs && { theirs: b }) };
    if (isOurs) ours = await left.next();
    if (isTheirs) theirs = await right.next();
  }
}

/** What a store has to keep of a point to the letter. */
const saidBy = ({ id, payload, terms }: StoredPoint): string =>
  canonical({ id, payload, ...(terms && Object.keys(terms).length > 0 && { terms: terms as Record<string, Json> }) });

/** How far a component may be off: a store that makes vectors unit length again moves the last bits of a float32. */
const ROUNDING = 1e-6;

function isSame(ours: StoredPoint | undefined, theirs: StoredPoint | undefined): boolean {
  if (ours === undefined || theirs === undefined || saidBy(ours) !== saidBy(theirs)) return false;
  const [a = [], b = []] = [ours.vector, theirs.vector];
  return a.length === b.length && a.every((value, i) => Math.abs(value - (b[i] as number)) <= ROUNDING);
}

/** Writes and removals, a batch at a time. All are behind the place where the target is being read, so its pages stay right. */
class Batches {
  readonly #to: VectorStore;
  readonly #space: string;
  readonly #options: CallOptions;
  #points: StoredPoint[] = [];
  #ids: string[] = [];
  written = 0;
  removed = 0;

  constructor(to: VectorStore, space: string, options: CallOptions) {
    this.#to = to;
    this.#space = space;
    this.#options = options;
  }

  async write(point: StoredPoint): Promise<void> {
    this.#points.push(point);
    if (this.#points.length >= BATCH) await this.flush();
  }

  async remove({ id }: StoredPoint): Promise<void> {
    this.#ids.push(id);
    if (this.#ids.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const [points, ids] = [this.#points.splice(0), this.#ids.splice(0)];
    if (points.length > 0) {
      const writes = points.map(({ revision: _own, ...point }) => ({ point }));
      await this.#to.upsert(this.#space, writes, this.#options);
      this.written += points.length;
    }
    if (ids.length > 0) this.removed += await this.#to.remove(this.#space, ids, this.#options);
  }
}
