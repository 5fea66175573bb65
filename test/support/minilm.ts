import { loadConfig } from '../../src/config.js';
import { ensureMiniLm } from '../../src/setup/minilm.js';

let folder: Promise<string> | undefined;

/** The folder of the embedding model that the product itself would use: fetched into the cache once. */
export const miniLmDir = (): Promise<string> => (folder ??= ensureMiniLm(loadConfig()));
