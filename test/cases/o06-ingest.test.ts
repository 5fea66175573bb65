import assert from 'node:assert/strict';

import { extracted, factsReply } from '../support/conversations.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { chatReply } from '../support/scripted-openai.js';

const ONE = JSON.stringify(factsReply([{ text: 'owns a boat' }]));
const TWO = chatReply(JSON.stringify(factsReply([{ text: 'owns a boat' }, { text: 'sails on Sundays' }])));
const CUT = chatReply(ONE, { finishReason: 'length' });

describe('O06 · an extraction that ran into the length limit', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is no answer, cut in the middle or whole by chance; asked again with more room it has both facts', async () => {
    const begun = chatReply(`{"topics": [{"section": 1, "facts": [${'\n'.repeat(4_000)}`, { finishReason: 'length' });
    await withIngest([begun, TWO, CUT, TWO], async (stage, server) => {
      for (const space of ['cut', 'whole']) {
        const status = await ingest(stage, space, [said('I own a boat. I sail it on Sundays.')]);
        assert.deepEqual([status.parked, status.spent.calls], [0, 2], space);
        assert.deepEqual(
          (await extracted(stage.memory, 'fact', space)).map(({ text }) => text),
          ['owns a boat', 'sails on Sundays'],
        );
      }
      const [first = 0, second = 0] = server.requests.map(({ body }) => Number(body['max_tokens']));
      assert.ok(second > first);
    });
  });

  it('is parked as cut off where the second reply is cut too', async () => {
    await withIngest([CUT, CUT], async (stage) => {
      const status = await ingest(stage, 'u1', [said('I own a boat.')]);
      assert.deepEqual(
        status.parkedBatches.map(({ kind }) => kind),
        ['llm_truncated'],
      );
      assert.deepEqual(await extracted(stage.memory), []);
    });
  });
});
