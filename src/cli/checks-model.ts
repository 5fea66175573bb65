import { APIError } from 'openai';

import { openAiServer, within } from '../adapters/openai-endpoint.js';
import { failureOf } from '../adapters/openai-failures.js';
import { RulesModel } from '../adapters/rules.js';
import type { Config, Endpoint } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import { requireLocalLlm } from '../setup/local-llm-weights.js';
import type { Check } from './doctor.js';

/** How long the endpoint may take to list its models, in milliseconds. */
const ANSWERS_WITHIN_MS = 5_000;

/** Which language model serves and whether it can be reached. The endpoint is asked for its list of models, which costs nothing. */
export async function checkModel({ llm, ...config }: Config): Promise<Check> {
  const name = 'language model';
  try {
    switch (llm.kind) {
      case 'rules':
        return {
          name,
          state: 'ok',
          found: `${new RulesModel().name}; set OPENAI_BASE_URL or OPENAI_API_KEY for a language model`,
        };
      case 'local':
        return {
          name,
          state: 'ok',
          found: `local, weights in ${await requireLocalLlm({ llm, ...config })}; started with the worker`,
        };
      case 'openai':
        return { name, state: 'ok', found: await ask(llm) };
    }
  } catch (error) {
    if (!(error instanceof EngraphError)) throw error;
    return { name, state: 'missing', found: `${error.message} (${error.kind})` };
  }
}

async function ask(endpoint: Endpoint): Promise<string> {
  const server = openAiServer({ ...endpoint, timeoutMs: ANSWERS_WITHIN_MS });
  try {
    const { data } = await within(ANSWERS_WITHIN_MS, {}, async (signal) => await server.client.models.list({ signal }));
    const listed = data.some(({ id }) => id === endpoint.model);
    return `${endpoint.model} at ${server.url}: it answers${listed ? '' : ', but does not list this model (ENGRAPH_CHAT_MODEL)'}`;
  } catch (error) {
    // Servers of one's own need not list models.
    if (error instanceof APIError && (error.status === 404 || error.status === 405))
      return `${endpoint.model} at ${server.url}: it answers`;
    throw failureOf(error, { server, unavailable: 'llm_unavailable', sent: [] });
  }
}
