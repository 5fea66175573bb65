import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { anAnswerPrompt } from '../support/prompts.js';
import { errorReply, withScriptedOpenAi } from '../support/scripted-openai.js';

async function waitFor(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  let wait: number | undefined;
  await withScriptedOpenAi({ chat: [errorReply(429, { code: 'rate_limit_exceeded' }, headers)] }, async (server) => {
    await assert.rejects(
      new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' }).complete(anAnswerPrompt()),
      (error: EngraphError) => {
        wait = error.retryAfterMs;
        return error.kind === 'llm_rate_limited' && error.retryable;
      },
    );
    assert.equal(server.requests.length, 1, 'only Temporal tries again');
  });
  return wait;
}

describe('O07 · a server that names the wait', () => {
  it('is taken at its word, in seconds, in milliseconds and as a date', async () => {
    assert.equal(await waitFor({ 'retry-after': '4' }), 4_000);
    assert.equal(await waitFor({ 'retry-after': '33' }), 33_000);
    assert.equal(await waitFor({ 'retry-after': '4', 'retry-after-ms': '1500' }), 1_500);
    const wait = await waitFor({ 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
    assert.ok(wait !== undefined && wait > 0 && wait <= 30_000);
  });

  it('is asked again after ten minutes when it names a longer one', async () =>
    assert.equal(await waitFor({ 'retry-after': '86400' }), 600_000));

  it('leaves the wait to us where it names none, or one that is over', async () => {
    assert.equal(await waitFor({}), undefined);
    assert.equal(await waitFor({ 'retry-after': '0' }), undefined);
    assert.equal(await waitFor({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }), undefined);
  });
});
