import type { CallOptions, Filter, StoredPoint, VectorStore, With } from '../ports/vector-store.js';

/** Every point that meets the filter, page by page to the end, in the order of ids. */
export async function* scanAll(
  store: VectorStore,
  space: string,
  query: { readonly filter: Filter; readonly with?: With },
  options: CallOptions = {},
): AsyncGenerator<StoredPoint> {
  let after: string | undefined;
  do {
    const page = await store.scan(space, { ...query, ...(after !== undefined && { after }) }, options);
    yield* page.points;
    after = page.next;
  } while (after !== undefined);
}
