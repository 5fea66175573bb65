import type { Config } from '../config.js';
import { checkMemory } from './checks-memory.js';
import { checkModel } from './checks-model.js';
import { checkTemporal } from './checks-temporal.js';
import type { Check } from './doctor.js';

/** All that the doctor looks at, in the order in which it is needed. */
export async function examine(config: Config): Promise<Check[]> {
  return [...(await checkTemporal(config)), ...(await checkMemory(config)), await checkModel(config)];
}
