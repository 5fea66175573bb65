import assert from 'node:assert/strict';

import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { says } from '../support/saying.js';

/** Temporal's limit of a payload. */
const PAYLOAD_BYTES = 2_097_152;

describe('case O37: three megabytes of messages in one call', function () {
  this.timeout(240_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('are all stored, by updates far below the limits; one message of 2.5 MB is refused by its size', async () => {
    await withEngraph({ activities: conversationFakes().activities }, async ({ client, temporal, memory, taskQueue }) => {
      const messages = Array.from({ length: 3_000 }, (_, at) => says(`${at} `.padEnd(1_000, 'x')));
      const handle = client.conversation('o37', taskQueue, { sensoryTokens: 8_192, shortTermTokens: 8_192 });
      assert.equal((await handle.remember(messages)).stored, 3_000);
      assert.equal(await memory.nodes.count('o37'), 3_000);
      const { refused, stored } = await handle.remember([says('x'.repeat(2_500_000)), says('small')]);
      assert.deepEqual([stored, refused[0]?.kind], [1, 'too_large']);
      assert.match(refused[0]?.message ?? '', /2500000 bytes .* 262144/u);
      for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = '${handle.workflowId}'` })) {
        const { events } = await temporal.workflow.getHandle(handle.workflowId, runId).fetchHistory();
        const sizes = (events ?? []).flatMap((event) => payloadSizes(event));
        assert.ok(Math.max(...sizes) < PAYLOAD_BYTES / 4, `a payload of ${Math.max(...sizes)} bytes`);
      }
    });
  });
});

function payloadSizes(value: unknown): number[] {
  if (value instanceof Uint8Array) return [value.byteLength];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(payloadSizes) : [];
}
