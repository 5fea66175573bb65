import { DatabaseSync } from '@photostructure/sqlite';

import { environment } from './environment.js';
import { eventually } from './eventually.js';

/** Keeps every other process from writing to the environment's store until the function it gives is called. */
export async function holdStore(): Promise<() => void> {
  const { config } = await environment();
  const database = new DatabaseSync(config.store);
  await eventually(() => database.exec('begin immediate'));
  return () => {
    database.exec('rollback');
    database.close();
  };
}
