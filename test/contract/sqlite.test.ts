import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { describeVectorStore } from './vector-store.js';

describe('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-sqlite-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let stores = 0;
  describeVectorStore('SqliteVectorStore', () => SqliteVectorStore.open(join(folder, `${stores++}.db`)));
});
