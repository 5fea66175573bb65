import type { EngraphClient } from '../client.js';
import type { KnowledgeResult } from '../domain/document.js';
import { EngraphError } from '../domain/failure.js';
import { checkSpace } from '../domain/space.js';
import { spaceOption } from './arguments.js';
import { EXIT } from './exit-codes.js';
import { withClient } from './memory.js';
import type { Output } from './output.js';
import { startBar } from './progress.js';
import type { AddCommand } from './session.js';

/** Documents at once: the server's part of one passes while another's chunks are embedded. */
const AT_ONCE = 3;

/** What became of one file. */
interface Learned {
  readonly learned: KnowledgeResult[];
  readonly failed: { document: string; kind: string; message: string }[];
}

/** `engraph learn PATHS…`: files and folders into chunks of memory. One bad file is named and does not stop the others. */
export const addLearn: AddCommand = (program, act) => {
  program
    .command('learn')
    .description('learn files and folders (Markdown, plain text, PDF); what is known already costs nothing')
    .argument('<paths...>', 'files, or folders with all that is in them')
    .addOption(spaceOption())
    .action(
      act<{ space: string }>(async (session, { space }, paths) => {
        checkSpace(space);
        const { output } = session;
        const { documents, failed } = await gather(paths as unknown as string[]);
        const told = await withClient(session, 'write', async (client) => await learnAll(client, space, documents, output));
        told.failed.unshift(...failed);
        for (const { document, kind, message } of told.failed) output.note(`not learned: ${document} (${kind}): ${message}`);
        const sum = sumOf(told);
        output.result({ space, ...sum, failed: told.failed, documents: told.learned }, () => inWords(sum, told.failed.length));
        return told.failed.length === 0 ? EXIT.ok : EXIT.failed;
      }),
    );
};

/** The documents of all paths, each once. A path that names none is told at the end, like a document that can't be read. */
async function gather(paths: readonly string[]): Promise<{ documents: string[]; failed: Learned['failed'] }> {
  const { findDocuments } = await import('../documents.js');
  const documents = new Set<string>();
  const failed: Learned['failed'] = [];
  for (const path of paths) {
    try {
      const found = await findDocuments([path]);
      if (found.length === 0) throw new EngraphError('not_found', 'it holds no Markdown, plain text or PDF');
      for (const document of found) documents.add(document);
    } catch (error) {
      if (!(error instanceof EngraphError)) throw error;
      failed.push({ document: path, kind: error.kind, message: error.message });
    }
  }
  const [first] = failed;
  if (documents.size === 0 && first !== undefined)
    throw new EngraphError('not_found', `there is nothing to learn: ${first.document}: ${first.message}`, { details: { paths } });
  return { documents: [...documents], failed };
}

async function learnAll(client: EngraphClient, space: string, documents: readonly string[], output: Output): Promise<Learned> {
  const told: Learned = { learned: [], failed: [] };
  const bar = startBar(output, documents.length, 'documents');
  const [{ readDocument }, { toldFailure }] = await Promise.all([import('../documents.js'), import('./failures.js')]);
  const waiting = [...documents];
  const learnNext = async (): Promise<void> => {
    for (let document = waiting.shift(); document !== undefined; document = waiting.shift()) {
      try {
        told.learned.push(await client.learn(space, { document, ...(await readDocument(document)) }));
      } catch (error) {
        const failure = toldFailure(error);
        // A server that is gone fails all that follow alike.
        if (!(failure instanceof EngraphError) || failure.kind === 'temporal_unavailable') throw failure;
        told.failed.push({ document, kind: failure.kind, message: failure.message });
      }
      bar.update(told.learned.length + told.failed.length, document);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, learnNext));
  } finally {
    bar.stop();
  }
  return told;
}

function sumOf({ learned }: Learned) {
  const sum = (pick: (result: KnowledgeResult) => number): number => learned.reduce((total, result) => total + pick(result), 0);
  return {
    chunks: sum(({ chunks }) => chunks),
    added: sum(({ added }) => added),
    kept: sum(({ kept }) => kept),
    retired: sum(({ retired }) => retired),
    learnedDocuments: learned.filter(({ unchanged }) => !unchanged).length,
    unchangedDocuments: learned.filter(({ unchanged }) => unchanged).length,
  };
}

function inWords(
  { learnedDocuments, unchangedDocuments, chunks, added, kept, retired }: ReturnType<typeof sumOf>,
  failed: number,
): string {
  const documents = [
    `${learnedDocuments} documents learned`,
    `${unchangedDocuments} unchanged`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return `${documents.join(', ')} · ${chunks} chunks: ${added} added, ${kept} kept, ${retired} retired`;
}
