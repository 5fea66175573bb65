import { memoryOver, openEmbedder, openStoreAt } from '../compose.js';
import { copySpace, type SpaceCopied } from '../copying.js';
import { EngraphError } from '../domain/failure.js';
import { checkSpace } from '../domain/space.js';
import type { Embedder } from '../ports/embedder.js';
import type { VectorStore } from '../ports/vector-store.js';
import { addressText, checkThere, parseStoreAddress } from '../store-address.js';
import { EXIT } from './exit-codes.js';
import { showProgress, startBar } from './progress.js';
import type { Session } from './session.js';

/** What came of a space, with the hashes that `engraph export --hash` of each side can be held against (here with all versions). */
interface Told extends SpaceCopied {
  readonly nodes: SpaceCopied['hashes'];
}

/** Copies and compares; exit code 1 where a space differs still. Refuses stores that were made for another embedding than the configured one. */
export async function copy(
  session: Session,
  options: { readonly from: string; readonly to: string; readonly space?: string; readonly prune?: boolean },
): Promise<number> {
  const { config, output } = session;
  const [source, target] = [parseStoreAddress(options.from, '--from'), parseStoreAddress(options.to, '--to')];
  if (options.space !== undefined) checkSpace(options.space);
  if (addressText(source) === addressText(target))
    throw new EngraphError('validation', `--from and --to are both ${addressText(source)}: name two stores`);
  checkThere(source);
  const opened: { close(): Promise<void> }[] = [];
  try {
    const embedder = await openEmbedder(config, showProgress(output));
    opened.push(embedder);
    const from = await openStoreAt(source, config);
    opened.push(from);
    await from.ensure(embedder.identity);
    const to = await openStoreAt(target, config);
    opened.push(to);
    await to.ensure(embedder.identity);
    const names = options.space === undefined ? await from.spaces() : [options.space];
    const spaces: Told[] = [];
    for (const space of names) {
      const copied = await withBar(session, from, to, space, options.prune ?? false);
      spaces.push({
        ...copied,
        nodes: { from: await nodesHash(from, embedder, space), to: await nodesHash(to, embedder, space) },
      });
      output.note(told(copied));
    }
    const ok = spaces.every(isTrue);
    const result = { ok, from: addressText(source), to: addressText(target), embedding: embedder.identity.model, spaces };
    output.result(result, () => inWords(spaces));
    return ok ? EXIT.ok : EXIT.failed;
  } finally {
    for (const one of opened.reverse()) await one.close();
  }
}

async function withBar({ output }: Session, from: VectorStore, to: VectorStore, space: string, prune: boolean) {
  const bar = startBar(output, await from.count(space), `points of ${space}`);
  try {
    return await copySpace(from, to, space, {
      prune,
      onPoint: ({ compared, written }) => bar.update(compared, `${written} written`),
    });
  } finally {
    bar.stop();
  }
}

const nodesHash = async (store: VectorStore, embedder: Embedder, space: string): Promise<string> =>
  await memoryOver(store, embedder).nodes.exportHash(space, undefined, { history: true });

const isTrue = ({ differing, hashes, nodes }: Told): boolean =>
  differing === 0 && hashes.from === hashes.to && nodes.from === nodes.to;

function told({ space, points, written, removed, differing, hashes }: SpaceCopied): string {
  const wrote = `${space}: ${points} points, ${written} written${removed > 0 ? `, ${removed} removed` : ''}`;
  if (differing === 0) return `${wrote}, the same on both sides (sha256 ${hashes.from.slice(0, 12)}…)`;
  return `${wrote}, ${differing} DIFFER: something wrote meanwhile, or the target has points of its own (--prune removes them)`;
}

function inWords(spaces: readonly Told[]): string {
  const written = spaces.reduce((sum, space) => sum + space.written, 0);
  const wrong = spaces.filter((space) => !isTrue(space)).map(({ space }) => space);
  const verdict = wrong.length === 0 ? 'all the same on both sides' : `different still: ${wrong.join(', ')}`;
  return `${spaces.length} spaces, ${written} points written · ${verdict}`;
}
