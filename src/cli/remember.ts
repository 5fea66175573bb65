import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';

import { Option } from 'commander';

import type { EngraphClient } from '../client.js';
import type { Remembered } from '../conversation-handle.js';
import { checkConversationName, checkSettings, type ConversationSettings } from '../domain/conversation.js';
import { EngraphError } from '../domain/failure.js';
import { readMessages } from '../domain/message.js';
import { checkSpace } from '../domain/space.js';
import { ROLES_READ, type RolesRead } from '../domain/turn.js';
import { conversationsIn, type ConversationInFile } from '../message-files.js';
import { spaceOption } from './arguments.js';
import { EXIT } from './exit-codes.js';
import { withClient } from './memory.js';
import type { Output } from './output.js';
import { startBar } from './progress.js';
import type { AddCommand } from './session.js';

interface RememberFlags {
  readonly space: string;
  readonly conversation?: string;
  readonly read?: RolesRead;
  readonly flush?: boolean;
}

/** Messages that one call of the client takes, so that the bar moves. */
const STEP = 256;

interface Told {
  readonly conversation: string;
  stored: number;
  known: number;
  empty: number;
  readonly refused: { readonly index: number; readonly kind: string; readonly message: string }[];
}

/** `engraph remember FILE`: the messages of a file into memory. The same file again adds nothing. A message that can't be taken is named and does not stop the others. */
export const addRemember: AddCommand = (program, act) => {
  program
    .command('remember')
    .description(
      'remember the messages in a file (JSON Lines, JSON, a ChatGPT export, LoCoMo); what is known already is not stored twice',
    )
    .argument('<file>', 'its messages, in order')
    .addOption(spaceOption())
    .option('-c, --conversation <name>', 'the conversation, where the file does not name it (default: the name of the file)')
    .addOption(new Option('--read <roles>', 'whose turns are indexed and read for facts').choices(ROLES_READ))
    .option('--flush', 'wait until facts are extracted from all of it')
    .action(
      act<RememberFlags>(async (session, flags, file) => {
        checkSpace(flags.space);
        const path = file as string;
        const name = flags.conversation ?? basename(path, extname(path));
        const settings = flags.read === undefined ? undefined : { read: flags.read };
        checkSettings(settings);
        const conversations = conversationsIn(await textOf(path), name);
        // Before anything is sent: what is no message at all is told at once.
        for (const { conversation, messages } of conversations) {
          checkConversationName(conversation);
          readMessages(messages, session.config.timeZone, (index) => nameOf(index, conversation));
        }
        const { output } = session;
        const told = await withClient(session, 'write', (client) => rememberAll(client, flags, conversations, output, settings));
        for (const { conversation, refused } of told)
          for (const { index, kind, message } of refused)
            output.note(`not remembered: ${nameOf(index, conversation)} (${kind}): ${message}`);
        const sum = sumOf(told);
        output.result({ space: flags.space, ...sum, conversations: told }, () => inWords(sum, told.length));
        return sum.refused === 0 ? EXIT.ok : EXIT.failed;
      }),
    );
};

/** People count messages from 1. */
const nameOf = (index: number, conversation: string): string => `message ${index + 1} of ${conversation}`;

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT') throw new EngraphError('not_found', `there is no ${path}`, { cause: error });
    throw new EngraphError('validation', `${path} cannot be read: ${code}`, { cause: error });
  }
}

async function rememberAll(
  client: EngraphClient,
  { space, flush }: RememberFlags,
  conversations: readonly ConversationInFile[],
  output: Output,
  settings?: Partial<ConversationSettings>,
): Promise<Told[]> {
  const bar = startBar(
    output,
    conversations.reduce((sum, { messages }) => sum + messages.length, 0),
    'messages',
  );
  let done = 0;
  const all: Told[] = [];
  try {
    for (const { conversation, messages } of conversations) {
      const handle = client.conversation(space, conversation, settings);
      const told: Told = { conversation, stored: 0, known: 0, empty: 0, refused: [] };
      all.push(told);
      for (let from = 0; from < messages.length; from += STEP) {
        const some = messages.slice(from, from + STEP);
        add(told, await handle.remember(some), from);
        bar.update((done += some.length), conversation);
      }
      if (flush === true && told.stored + told.known > 0) await handle.flush();
    }
  } finally {
    bar.stop();
  }
  return all;
}

function add(told: Told, { stored, known, empty, refused }: Remembered, from: number): void {
  told.stored += stored;
  told.known += known;
  told.empty += empty;
  told.refused.push(...refused.map((one) => ({ ...one, index: one.index + from })));
}

function sumOf(told: readonly Told[]) {
  const sum = (pick: (one: Told) => number): number => told.reduce((total, one) => total + pick(one), 0);
  return {
    stored: sum((one) => one.stored),
    known: sum((one) => one.known),
    empty: sum((one) => one.empty),
    refused: sum((one) => one.refused.length),
  };
}

const inWords = ({ stored, known, empty, refused }: ReturnType<typeof sumOf>, conversations: number): string =>
  `${stored} new, ${known} known, ${empty} empty, ${refused} refused · ${conversations} conversation${conversations === 1 ? '' : 's'}`;
