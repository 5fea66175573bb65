import { drawDocuments, drawFurther, type DemoDocument } from './corpus.js';
import { drawTasks, NothingFits, type DemoTask } from './draw.js';
import type { InstalledPackage } from './packages.js';
import { Random } from './random.js';
import type { Stage } from './rehearsal.js';

/** How often further documents are learned before it is said that what is installed doesn't do. */
const MOST_FURTHER = 4;

export interface Preparation {
  readonly seed: number;
  /** The project's folder; documents are named from there. */
  readonly project: string;
  readonly packages: readonly InstalledPackage[];
  /** Has these documents in memory when it returns. */
  readonly learn: (documents: readonly DemoDocument[]) => Promise<void>;
  /** A stage over what was learned so far. */
  readonly openStage: () => Promise<Stage>;
}

/**
 * Draws and learns documents, and draws tasks over them; where those don't give every kind of task, some more are learned. The
 * same seed over the same packages gives the same documents and tasks.
 */
export async function prepare({
  seed,
  project,
  packages,
  learn,
  openStage,
}: Preparation): Promise<{ documents: DemoDocument[]; tasks: DemoTask[] }> {
  const random = new Random(seed);
  const documents = drawDocuments(project, packages, random);
  await learn(documents);
  for (let further = 0; ; further++) {
    try {
      return { documents, tasks: await drawTasks(documents, packages, random, openStage) };
    } catch (error) {
      if (!(error instanceof NothingFits)) throw error;
      const more = further === MOST_FURTHER ? [] : drawFurther(project, packages, random, documents);
      if (more.length === 0) throw new Error(`${error.message}; try another --seed`, { cause: error });
      await learn(more);
      documents.push(...more);
    }
  }
}
