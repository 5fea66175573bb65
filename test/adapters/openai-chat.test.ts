import assert from 'node:assert/strict';

import { OpenAiChatModel, type OpenAiChatOptions } from '../../src/adapters/openai-chat.js';
import { EngraphError, type FailureKind } from '../../src/domain/failure.js';
import type { Usage } from '../../src/ports/language-model.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, errorReply, withScriptedOpenAi, type Answer, type ScriptedOpenAi } from '../support/scripted-openai.js';

const KEY = 'key-that-nobody-may-read';
const modelAt = (server: ScriptedOpenAi, more: Partial<OpenAiChatOptions> = {}): OpenAiChatModel =>
  new OpenAiChatModel({ baseUrl: server.baseUrl, apiKey: KEY, model: 'm', ...more });

async function failureFor(answer: Answer, more: Partial<OpenAiChatOptions> = {}): Promise<EngraphError> {
  let failure: unknown;
  await withScriptedOpenAi({ chat: [answer] }, async (server) => {
    failure = await modelAt(server, more)
      .complete(anAnswerPrompt())
      .catch((error: unknown) => error);
    assert.equal(server.requests.length, 1, 'the client never tries again by itself');
  });
  assert.ok(failure instanceof EngraphError, String(failure));
  return failure;
}

describe('OpenAiChatModel', () => {
  const kinds: readonly (readonly [string, Answer, FailureKind, boolean])[] = [
    ['a wrong key', errorReply(401, { code: 'invalid_api_key', message: `bad key ${KEY}` }), 'llm_auth', false],
    ['a forbidden model', errorReply(403, { message: 'no' }), 'llm_auth', false],
    ['no quota', errorReply(429, { type: 'insufficient_quota', message: 'quota used up' }), 'llm_quota', false],
    ['an unpaid bill', errorReply(402, { message: 'Insufficient Balance' }), 'llm_quota', false],
    [
      'no quota, whatever the server wishes',
      errorReply(429, { code: 'insufficient_quota' }, { 'x-should-retry': 'true' }),
      'llm_quota',
      false,
    ],
    ['too many requests', errorReply(429, { message: 'slow down' }), 'llm_rate_limited', true],
    ['a request time-out', errorReply(408, {}), 'llm_unavailable', true],
    ['a conflict', errorReply(409, {}), 'llm_unavailable', true],
    ['a broken server', errorReply(500, { message: 'oops' }), 'llm_unavailable', true],
    ['a gateway without a body of its own', { status: 502, body: 'bad gateway' }, 'llm_unavailable', true],
    ['a broken server that wants no second try', errorReply(500, {}, { 'x-should-retry': 'false' }), 'llm_unavailable', false],
    ['a bad request', errorReply(400, { message: 'context length exceeded' }), 'llm_rejected', false],
    ['an unknown model', errorReply(404, { message: 'no such model' }), 'llm_rejected', false],
    ['a filter on the way in', errorReply(400, { code: 'content_filter', message: 'no' }), 'llm_refused', false],
    ['a connection that is cut', 'drop', 'llm_unavailable', true],
    ['a connection that is cut amid the answer', 'drop amid the answer', 'llm_unavailable', true],
    ['a refusal', chatReply(null, { refusal: 'I will not' }), 'llm_refused', false],
    ['a filter on the way out', chatReply('x', { finishReason: 'content_filter' }), 'llm_refused', false],
    ['a reply cut off', chatReply('{"answer": "ool', { finishReason: 'length' }), 'llm_truncated', false],
    ['a whole reply that is marked as cut off', chatReply(VALID_ANSWER, { finishReason: 'length' }), 'llm_truncated', false],
    ['no choices', { body: { choices: [] } }, 'llm_no_choices', true],
    ['an answer that is no completion', { body: 'hello' }, 'llm_no_choices', true],
    ['a choice without content', chatReply(null), 'llm_no_choices', true],
  ];
  for (const [what, answer, kind, retryable] of kinds) {
    it(`fails with ${kind} on ${what}, and says whether to try again`, async () => {
      const failure = await failureFor(answer);
      assert.equal(failure.kind, kind);
      assert.equal(failure.retryable, retryable);
      assert.equal((failure.details['usage'] as Usage).calls, 1);
      for (const text of [failure.message, failure.stack, JSON.stringify(failure.details), String(failure.cause)]) {
        assert.ok(!text?.includes(KEY), 'no key is shown');
      }
    });
  }

  it('fails with llm_unavailable when no answer comes in time', async () => {
    const failure = await failureFor('hang', { timeoutMs: 100 });
    assert.equal(failure.kind, 'llm_unavailable');
    assert.match(failure.message, /100 ms/u);
  });

  it('names the address and the cause when the server cannot be reached', async () => {
    let baseUrl = '';
    await withScriptedOpenAi({}, async (server) => void (baseUrl = server.baseUrl));
    await assert.rejects(new OpenAiChatModel({ baseUrl, model: 'm' }).complete(anAnswerPrompt()), (error: EngraphError) => {
      assert.equal(error.kind, 'llm_unavailable');
      assert.ok(error.message.includes(baseUrl) && error.message.includes('ECONNREFUSED'), error.message);
      return true;
    });
  });

  it('does not pass on an error that repeats what was sent', async () => {
    const secret = 'the user lives at 4 Elm Street in Dover';
    await withScriptedOpenAi({ chat: [errorReply(400, { message: `cannot read "${secret}"` })] }, async (server) => {
      await assert.rejects(modelAt(server).complete(anAnswerPrompt(secret)), (error: EngraphError) => {
        assert.ok(!error.message.includes('Elm'), error.message);
        return error.kind === 'llm_rejected';
      });
    });
  });

  it('rejects with the reason of a signal that aborts while it waits', async () => {
    await withScriptedOpenAi({ chat: ['hang', 'hang'] }, async (server) => {
      const abort = new AbortController();
      const reason = new Error('cancelled');
      const model = modelAt(server);
      const calls = [anAnswerPrompt(), anAnswerPrompt()].map((prompt) => model.complete(prompt, { signal: abort.signal }));
      abort.abort(reason);
      for (const call of calls) await assert.rejects(call, reason);
    });
  });

  it('asks for the schema of the reply, and memories are in the message of the user alone', async () => {
    await withScriptedOpenAi({ chat: [chatReply(VALID_ANSWER)] }, async (server) => {
      const prompt = anAnswerPrompt();
      const { text, usage } = await modelAt(server).complete(prompt);
      assert.equal(text, VALID_ANSWER);
      assert.deepEqual(usage, { calls: 1, inputTokens: 11, outputTokens: 7 });
      const { body, headers } = server.requests[0] as (typeof server.requests)[0];
      assert.equal(headers.authorization, `Bearer ${KEY}`);
      assert.deepEqual(body['messages'], [
        { role: 'system', content: prompt.system },
        { role: 'user', content: prompt.user },
      ]);
      assert.deepEqual(body['response_format'], {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: prompt.schema },
      });
    });
  });

  it('falls back to plain JSON, then to none, where a server knows no schemas, and remembers', async () => {
    const chat = (request: { body: Readonly<Record<string, unknown>> }): Answer =>
      'response_format' in request.body
        ? errorReply(400, { type: 'invalid_request_error', message: 'This response_format type is unavailable now' })
        : chatReply(VALID_ANSWER, { usage: null });
    await withScriptedOpenAi({ chat }, async (server) => {
      const first = await modelAt(server, { model: 'no-schemas' }).complete(anAnswerPrompt());
      assert.equal(first.usage.calls, 3);
      assert.ok(first.usage.inputTokens > 0 && first.usage.outputTokens > 0, 'estimated where the server counts nothing');
      assert.equal((await modelAt(server, { model: 'no-schemas' }).complete(anAnswerPrompt())).usage.calls, 1);
    });
  });

  it('takes a limit that is too high for a mistake, and not for a parameter the server does not know', async () => {
    const failure = await failureFor(errorReply(400, { param: 'max_tokens', message: 'max_tokens is too large: 5000' }));
    assert.equal(failure.kind, 'llm_rejected');
  });

  it('counts each refused request in the failure that ends them', async () => {
    const chat = [errorReply(400, { code: 'unsupported_value', param: 'temperature', message: 'only 1' }), errorReply(500, {})];
    await withScriptedOpenAi({ chat }, async (server) => {
      await assert.rejects(
        modelAt(server).complete(anAnswerPrompt()),
        (error: EngraphError) => (error.details['usage'] as Usage).calls === 2,
      );
    });
  });
});
