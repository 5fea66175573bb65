import { openModel } from '../compose.js';
import { EngraphError } from '../domain/failure.js';
import type { Act, GraphNode } from '../domain/graph.js';
import type { LanguageModel, Prompt } from '../ports/language-model.js';
import { answerPrompt, parseAnswer } from '../prompts/answer.js';
import type { AnswerInput, AnswerReply } from '../prompts/inputs.js';
import { repairReplyPrompt } from '../prompts/repair-reply.js';
import { openClient } from './opening.js';
import { showProgress } from './progress.js';
import type { Session } from './session.js';

/** What the assistant says to one line, and from which nodes. */
export interface ChatAnswer {
  readonly answer: string;
  /** Ids of the memories that it names as its sources. */
  readonly cited: readonly string[];
  readonly known: boolean;
}

/** An open talk. */
export interface Chat {
  /** The model that answers, by the name it gives itself. */
  readonly model: string;
  say(line: string): Promise<ChatAnswer>;
  close(): Promise<void>;
}

/** Memories that an answer is made from, and acts of the talk that go with them [FluxMem: top 5; a few turns of context]. */
const MEMORIES = 8;
const ACTS = 4;

/**
 * Opens a talk. A line is remembered before it is answered, so that nothing said is lost; memories come from all of the space
 * but the line itself. The model is asked in this process; facts are extracted by the workers.
 */
export async function openChat(session: Session, space: string, conversation: string): Promise<Chat> {
  const { client, close } = await openClient(session, 'write');
  const model = await openModel(session.config, showProgress(session.output));
  const handle = client.conversation(space, conversation);
  const acts: Act[] = [];
  return {
    model: model.name,
    say: async (line) => {
      const at = new Date().toISOString();
      const { turns } = await handle.remember([{ role: 'user', content: line, at }]);
      const own = turns.flatMap(({ turnId }) => turnId ?? []);
      const found = await client.search(space, line, { limit: MEMORIES, exclude: own });
      const nodes = found.map(({ node }) => node);
      const memories = nodes.map((node, n) => ({
        n: n + 1,
        id: node.id,
        kind: node.kind,
        title: titleOf(node),
        text: node.text,
      }));
      const prompt = answerPrompt({ instruction: line, observation: '', history: acts.slice(-ACTS), memories });
      const { answer, cited, known } = await asked(model, prompt);
      await handle.remember([
        { role: 'assistant', content: answer, at: new Date().toISOString(), metadata: { model: model.name } },
      ]);
      acts.push({ observation: line, action: answer });
      return { answer, cited: cited.flatMap((n) => nodes[n - 1]?.id ?? []), known };
    },
    close: async () => {
      await close();
      await model.close();
    },
  };
}

/** One model call, and one more for a readable reply. */
async function asked(model: LanguageModel, prompt: Prompt<AnswerInput>): Promise<AnswerReply> {
  const { text } = await model.complete(prompt);
  try {
    return parseAnswer(text);
  } catch (error) {
    if (!(error instanceof EngraphError) || error.kind !== 'llm_unparseable') throw error;
    return parseAnswer((await model.complete(repairReplyPrompt(prompt, text))).text);
  }
}

function titleOf(node: GraphNode): string {
  if (node.kind !== 'semantic') return node.kind === 'episodic' ? 'an earlier task' : 'a skill';
  const who = node.speaker ?? node.role ?? node.source.title ?? node.form;
  return node.validFrom === undefined ? who : `${who}, ${node.validFrom.slice(0, 10)}`;
}
