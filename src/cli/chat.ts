import { createInterface } from 'node:readline/promises';

import { checkConversationName } from '../domain/conversation.js';
import { checkSpace } from '../domain/space.js';
import { spaceOption } from './arguments.js';
import { EXIT } from './exit-codes.js';
import type { AddCommand } from './session.js';

interface ChatFlags {
  readonly space: string;
  readonly conversation?: string;
}

/** `engraph chat`: talk with an assistant that remembers. Each line is remembered, answered from memory, and the answer remembered. */
export const addChat: AddCommand = (program, act) => {
  program
    .command('chat')
    .description('talk with an assistant that remembers; an empty line or Ctrl-D ends it')
    .addOption(spaceOption())
    .option('-c, --conversation <name>', 'go on with this conversation (default: a new one a day)')
    .action(
      act<ChatFlags>(async (session, { space, conversation = `chat-${new Date().toISOString().slice(0, 10)}` }) => {
        checkSpace(space);
        checkConversationName(conversation);
        const { openChat } = await import('./chatting.js');
        const { output } = session;
        const chat = await openChat(session, space, conversation);
        const lines = createInterface({ input: process.stdin, terminal: false });
        try {
          output.note(`${chat.model} answers; all is remembered in ${conversation} (an empty line ends)`);
          output.streams.stderr.write('> ');
          for await (const line of lines) {
            if (line.trim() === '') break;
            const answer = await chat.say(line);
            output.result(answer, () => answer.answer);
            output.streams.stderr.write('> ');
          }
          return EXIT.ok;
        } finally {
          lines.close();
          await chat.close();
        }
      }),
    );
};
