import { rename } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { JsonObject } from '../domain/json.js';
import { checkSpace } from '../domain/space.js';
import { spaceOption } from './arguments.js';
import { withMemory } from './memory.js';
import type { AddCommand } from './session.js';

/** `engraph export`: a space as JSON Lines, every version of every node, or the hash of what it says now. Needs no server. */
export const addExport: AddCommand = (program, act) => {
  program
    .command('export')
    .description('write a space as JSON Lines, or only its hash; needs no server')
    .addOption(spaceOption())
    .option('--out <file>', 'write to this file, whole or not at all, instead of stdout')
    .option('--hash', 'only the SHA-256 of what the nodes say now; versions and times are left out')
    .action(
      act<{ space: string; out?: string; hash?: boolean }>(async (session, { space, out, hash }) => {
        checkSpace(space);
        const { output } = session;
        await withMemory(session, 'read', async ({ nodes }) => {
          if (hash === true) {
            const sha256 = await nodes.exportHash(space);
            return output.result({ space, sha256 }, () => sha256);
          }
          if (out === undefined) {
            for await (const node of nodes.exportSpace(space)) output.line(JSON.stringify(node));
            return;
          }
          const count = await writeLines(out, nodes.exportSpace(space));
          output.result({ space, file: out, lines: count }, () => `${count} lines written to ${out}`);
        });
      }),
    );
};

/** Writes beside the file and renames: a reader never sees half an export. */
async function writeLines(file: string, nodes: AsyncIterable<JsonObject>): Promise<number> {
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const node of nodes) {
      count += 1;
      yield `${JSON.stringify(node)}\n`;
    }
  }
  const fresh = `${file}.${process.pid}.part`;
  await pipeline(Readable.from(lines()), createWriteStream(fresh));
  await rename(fresh, file);
  return count;
}
