import { activityInfo } from '@temporalio/activity';

import type { Attribution } from '../src/domain/edit.js';
import { EngraphError } from '../src/domain/failure.js';
import { idOf } from '../src/domain/id.js';
import type { Spent } from '../src/domain/refinement.js';
import type { Embedder } from '../src/ports/embedder.js';
import { attributionPrompt, parseAttribution } from '../src/prompts/attribution.js';
import { judgementPrompt, parseJudgement } from '../src/prompts/judgement.js';
import { parseRelevance, relevancePrompt } from '../src/prompts/relevance.js';
import { parseReshape, reshapePrompt } from '../src/prompts/reshape.js';
import { ask, type Asking, type Question } from './asking.js';
import { acceptEdits } from './attribution.js';
import type { AttributeInput, ModelActivities, RoundKey } from './contract.js';
import { working } from './failures.js';
import { contextItems, keepContext, queryOf, textOf, type Memory } from './formation.js';
import { neighboursOf } from './neighbours.js';
import { similarities } from './repair.js';
import { chosenLinks } from './verify.js';

export type LanguageDeps = Memory & Asking & { readonly embedder: Embedder };

/**
 * The activities that ask the language model something: read what the ids stand for, ask, tell what was decided in numbers.
 * Wording and parsing are pure and live in src/prompts; the answer is kept by `ask`; retries belong to the workflow's proxy.
 */
export function createLanguageActivities(deps: LanguageDeps): Omit<ModelActivities, 'execute'> {
  const read = (space: string, text: Parameters<typeof textOf>[2], signal: AbortSignal) =>
    textOf(deps.texts, space, text, { signal });
  return {
    verify: (input) =>
      working(async (signal) => {
        const { space, shortlist, query, others, budgets } = input;
        const items = await contextItems(
          deps,
          space,
          shortlist.map(({ number, nodeId }) => ({ number, nodeId })),
          { signal },
        );
        const prompt = relevancePrompt({ query: await queryOf(deps, space, query, { signal }), candidates: items });
        const { reply, spent } = await ask(deps, questionOf(input, 'verify', signal), prompt, parseRelevance);
        const chosen = chosenLinks(input, new Map(reply.scores.map(({ n, score }) => [n, score])));
        const shownLinks = input.act === 'activates' ? [...chosen, ...others] : [...others, ...chosen];
        return { links: chosen, context: await keepContext(deps, space, shownLinks, budgets, { signal }), spent };
      }),

    attribute: (input) =>
      working(async (signal) => {
        const prompt = attributionPrompt(await attributionInput(deps, input, signal));
        try {
          const { reply, spent } = await ask(deps, questionOf(input, 'attribute', signal), prompt, parseAttribution);
          return { ...acceptEdits(reply, input), spent };
        } catch (error) {
          if (!(error instanceof EngraphError) || error.kind !== 'llm_unparseable') throw error;
          return { ...unattributed(input), spent: error.details['spent'] as Spent };
        }
      }),

    reshape: (input) =>
      working(async (signal) => {
        const { space, link, direction, span } = input;
        const [node] = await deps.nodes.read(space, [link.nodeId], { signal });
        if (node === undefined) throw new EngraphError('not_found', `node ${link.nodeId}, to be reshaped, is not there any more`);
        const [item] = await contextItems(deps, space, [{ number: link.number, nodeId: link.nodeId }], { signal });
        const around =
          direction === 'coarser' ? await neighboursOf(deps.store, node, span, { signal }) : { before: '', after: '' };
        const prompt = reshapePrompt({
          instruction: await read(space, input.instruction, signal),
          feedback: await read(space, input.feedback, signal),
          direction,
          title: item?.title ?? '',
          text: node.text,
          ...around,
        });
        const { reply, spent } = await ask(deps, questionOf(input, `reshape ${link.number}`, signal), prompt, parseReshape);
        return { overlay: await deps.texts.keep(space, reply.text, { signal }), spent };
      }),

    judge: (input) =>
      working(async (signal) => {
        const { space } = input;
        const prompt = judgementPrompt({
          instruction: await read(space, input.instruction, signal),
          observation: await read(space, input.observation, signal),
          action: await read(space, input.action, signal),
        });
        const { reply, spent } = await ask(deps, questionOf(input, 'judge', signal), prompt, parseJudgement);
        const feedback = await deps.texts.keep(space, reply.feedback === '' ? reply.reason : reply.feedback, { signal });
        return { success: reply.success, feedback: { 'engraph:ref': feedback }, spent };
      }),
  };
}

/** The batch id of one question of one round. */
export function questionOf({ space, taskId, step, round }: RoundKey, name: string, signal: AbortSignal): Question {
  return { space, batchId: idOf('call', taskId, step, round, name), attempt: activityInfo().attempt, signal };
}

async function attributionInput(deps: LanguageDeps, input: AttributeInput, signal: AbortSignal) {
  const { space, links, cited } = input;
  const [instruction, observation, action, feedback] = await Promise.all(
    [input.instruction, input.observation, input.action, input.feedback].map((text) =>
      textOf(deps.texts, space, text, { signal }),
    ),
  );
  const similarity = await similarities(deps, input, links, { signal });
  const items = await contextItems(deps, space, links, { signal });
  return {
    ...{ instruction: instruction ?? '', observation: observation ?? '', action: action ?? '', feedback: feedback ?? '' },
    round: input.round,
    links: items.map(({ n, id, kind, title, text }) => ({
      ...{ n, kind, title, text },
      similarity: similarity.get(id) ?? 0,
      reshaped: links.find(({ number }) => number === n)?.overlay !== undefined,
      cited: cited.includes(n),
    })),
    allowed: input.allowed,
    tried: input.tried,
  };
}

/** No verdict: the round goes on with an expand by the feedback, and says that nobody attributed it. */
function unattributed({ allowed }: AttributeInput): Attribution {
  return {
    fault: 'missing_knowledge',
    edits: allowed.includes('expand') ? [{ edit: 'expand' }] : [],
    refused: [],
    attributed: false,
  };
}
