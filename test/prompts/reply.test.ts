import assert from 'node:assert/strict';

import { z } from 'zod';

import { EngraphError } from '../../src/domain/failure.js';
import { readReply, UnreadableReply } from '../../src/prompts/reply.js';

const schema = z.object({ facts: z.array(z.string()) });
const valid = (fact: string): string => JSON.stringify({ facts: [fact] });
const unreadable = (reply: string): UnreadableReply => {
  try {
    readReply(reply, schema);
  } catch (error) {
    assert.ok(error instanceof UnreadableReply);
    return error;
  }
  throw new Error('the reply was read');
};

describe('readReply', () => {
  const ferrets = valid('Mira keeps two ferrets');
  const wrapped: Readonly<Record<string, string>> = {
    'in a fence, with a note after it': `\`\`\`json\n${ferrets}\n\`\`\`\n\nNote: I found one fact.`,
    'in a fence without a tag': `\`\`\`\n${ferrets}\n\`\`\``,
    'in a fence tagged in capitals': `\`\`\`JSON\n${ferrets}\n\`\`\``,
    'in a fence with CRLF line ends': `\`\`\`json\r\n${ferrets}\r\n\`\`\`\r\n`,
    'in a fence that is never closed': `\`\`\`json\n${ferrets}`,
    'on one line with its fence': `\`\`\`json ${ferrets}\`\`\``,
    alone: ferrets,
    'after thoughts with a draft in them': `<think>perhaps {"facts":["no"]}</think>\n${ferrets}`,
    'after prose with a quote in braces': `He said {"oh} and then: ${ferrets}`,
    'with a comma too many': '{"facts": ["Mira keeps two ferrets",],}',
    'with comments and single quotes': "{'facts': ['Mira keeps two ferrets'] /* one */}",
  };
  for (const [how, reply] of Object.entries(wrapped)) {
    it(`reads JSON ${how}`, () => assert.deepEqual(readReply(reply, schema), { facts: ['Mira keeps two ferrets'] }));
  }

  it('finds JSON between prose that has braces of its own, and keeps the braces inside it', () => {
    const reply = `From the talk {about hobbies} I conclude: ${valid('Tobin collects {rare} stamps')} — hope that {helps}!`;
    assert.deepEqual(readReply(reply, schema), { facts: ['Tobin collects {rare} stamps'] });
  });

  it('refuses a reply without JSON', () => assert.equal(unreadable('Sorry, nothing to add.').kind, 'llm_unparseable'));

  it('never completes a reply that was cut off', () => {
    for (const reply of [
      '{"facts":["owns a boat",',
      '{"facts":["owns a boat"',
      '```json\n{"facts":["owns a bo',
      '{"facts":["owns a boat]}',
    ]) {
      unreadable(reply);
    }
  });

  it('takes nothing out of a value of another form', () => {
    const error = unreadable(`{"result": ${ferrets}}`);
    assert.match(error.message, /facts/u);
  });

  it('reads past a value of another form to the right one', () => {
    assert.deepEqual(readReply(`{"plan": "first"} ${ferrets}`, schema), { facts: ['Mira keeps two ferrets'] });
  });

  it('keeps the reply with the failure, outside of all that is written to a history', () => {
    const secret = 'the user lives at 4 Elm Street';
    const error = unreadable(`{"facts": "${secret}"}`);
    assert.ok(error instanceof EngraphError);
    assert.equal(error.reply, `{"facts": "${secret}"}`);
    assert.equal(error.retryable, false);
    for (const shown of [error.message, error.stack, JSON.stringify(error), JSON.stringify(error.details), String(error.cause)]) {
      assert.ok(!shown?.includes('Elm'), shown);
    }
  });

  it('is done with a reply of nothing but braces', () => {
    unreadable('{'.repeat(50_000));
    unreadable('{[}]'.repeat(20_000));
  });
});
