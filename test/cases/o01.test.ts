import assert from 'node:assert/strict';

import { extracted, factsReply } from '../support/conversations.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { chatReply } from '../support/scripted-openai.js';

const VALID = JSON.stringify(factsReply([{ text: 'Mira keeps two ferrets' }]));

describe('O01 · facts in a Markdown fence, with a note after it', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  const variants = {
    'tagged json': `\`\`\`json\n${VALID}\n\`\`\`\n\nNote: I found one fact.`,
    'without a tag': `\`\`\`\n${VALID}\n\`\`\``,
    'tagged JSON': `\`\`\`JSON\n${VALID}\n\`\`\``,
    'with CRLF line ends': `\`\`\`json\r\n${VALID}\r\n\`\`\`\r\n`,
  };

  it('are stored, each variant by one request', async () => {
    await withIngest(
      Object.values(variants).map((reply) => chatReply(reply)),
      async (stage, server) => {
        for (const [at, what] of Object.keys(variants).entries()) {
          const status = await ingest(stage, what, [said('I keep two ferrets.', { speaker: 'Mira' })]);
          assert.deepEqual([status.facts, status.parked, status.spent.calls], [1, 0, 1], what);
          assert.deepEqual(
            (await extracted(stage.memory, 'fact', what)).map(({ text }) => text),
            ['Mira keeps two ferrets'],
          );
          assert.equal(server.requests.length, at + 1);
        }
      },
    );
  });
});
