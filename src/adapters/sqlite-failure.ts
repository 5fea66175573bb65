import { EngraphError } from '../domain/failure.js';

/** SQLite's primary result codes (sqlite.org/rescode.html) that say something about the file rather than about our SQL. */
const PASSING = new Map([
  [5, 'is busy: another process is writing'],
  [6, 'is locked'],
  [7, 'could not be read for want of memory'],
  [10, 'could not be read or written'],
  [13, 'could not grow: the disk is full'],
  [14, 'could not be opened'],
  [15, 'is locked by a process that is opening it'],
]);
const LASTING = new Map([
  [8, 'may not be written'],
  [11, 'is damaged'],
]);
const NOT_A_DATABASE = 26;
const BUSY = new Set([5, 6, 15]);

/** The primary result code of an error that came from SQLite; undefined for any other error. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('sqliteCode' in error) || typeof error.sqliteCode !== 'number') return undefined;
  return error.sqliteCode & 0xff;
}

/** Whether another connection stood in the way, so that the same transaction may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && BUSY.has(code);
}

/** An error from SQLite in our words, naming the file; any other error as it is. */
export function asFailure(error: unknown, path: string): unknown {
  const code = primaryCode(error);
  if (code === undefined) return error;
  if (code === NOT_A_DATABASE) return notAStore(path, 'it is not an SQLite file', error);
  const passing = PASSING.get(code);
  if (passing !== undefined)
    return new EngraphError('store_unavailable', `the store ${path} ${passing}`, { cause: error, details: { path, code } });
  const lasting = LASTING.get(code);
  if (lasting === undefined) return error;
  return new EngraphError('store_unavailable', `the store ${path} ${lasting}`, {
    cause: error,
    retryable: false,
    details: { path, code },
  });
}

/** The refusal of a file that is something else than a store of ours. */
export function notAStore(path: string, why: string, cause?: unknown): EngraphError {
  return new EngraphError('config', `${path} is not an Engraph store: ${why}; name another file (ENGRAPH_STORE)`, {
    ...(cause !== undefined && { cause }),
    details: { path },
  });
}
