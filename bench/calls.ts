import { ScriptedModel } from '../test/support/scripted-model.js';
import { aChunk, remembering } from '../test/support/builders.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../test/support/environment.js';
import type { BenchOptions, BenchResult } from './run.js';

/** Model calls of FluxMem's own code for such a step, read off it (the figure), for comparison. */
const FLUXMEM_CALLS = 170;

/**
 * Model calls and tokens of one step that fails its first round and five repairs, all of them expands, with verify on and the
 * agent judging itself; the agent's own calls are not counted. Counted twice: by the task's own ledger and by the model.
 */
export async function run(_options: BenchOptions): Promise<BenchResult> {
  const model = new ScriptedModel({
    attribution: () => ({ reason: 'something is missing', fault: 'missing_knowledge', edits: [{ edit: 'expand' }] }),
    relevance: (prompt) => ({
      scores: (prompt as { input: { candidates: { n: number }[] } }).input.candidates.map(({ n }) => ({ n, score: 0.5 })),
    }),
  });
  const execute = () => ({ action: 'no', status: 'failed' as const, feedback: 'the answer about herons is still missing' });
  let told = { calls: 0, inputTokens: 0, outputTokens: 0 };
  await startEnvironment();
  await withEngraph({ execute, model }, async ({ client, memory, agent }) => {
    const chunks = Array.from({ length: 60 }, (_, position) =>
      aChunk(`heron answer number ${position} of many`, { document: `d${position}.md`, position }),
    );
    await remembering(memory, 'bench', ...chunks);
    const result = await client.runTask({
      space: 'bench',
      taskId: 'calls',
      instruction: 'what about the heron?',
      agent,
      retrieval: { mode: 'verified' },
    });
    if (result.executions !== 6) throw new Error(`the step ran ${result.executions} times instead of 6`);
    told = result.spent;
  });
  await stopEnvironment();
  const characters = model.asked.reduce((sum, { system, user }) => sum + system.length + user.length, 0);
  const figures = { calls: told.calls, tokens: told.inputTokens + told.outputTokens };
  return {
    figures,
    baselines: { model: { calls: model.asked.length }, fluxmem: { calls: FLUXMEM_CALLS } },
    notes: [
      `${model.asks('attribution').length} attributions and ${model.asks('relevance').length} verify calls; the scripted model counts 100 + 10 tokens a call`,
      `the prompts had ${characters} characters in all, about ${Math.round(characters / 4)} tokens by the rule of four`,
      'fluxmem is a figure read off its reference code for the same step, not measured in this run',
    ],
    table: `calls of a step with five expands, verify on: ${figures.calls} (the model itself counted ${model.asked.length}; FluxMem about ${FLUXMEM_CALLS})`,
  };
}
