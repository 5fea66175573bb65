import type { Completion, LanguageModel, Prompt, PromptName } from '../../src/ports/language-model.js';

/** What a scripted model says to one kind of prompt: a reply, text as it is or any other value as JSON, or a failure. */
export type Script = Partial<Record<PromptName, (prompt: Prompt<never>, call: number) => unknown>>;

/** A model that answers by a script, keeps what it was asked, and fails loudly when asked what the script does not foresee. */
export class ScriptedModel implements LanguageModel {
  readonly name = 'scripted';
  readonly isLanguageModel = true;
  readonly asked: Prompt[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  asks(name: PromptName): Prompt[] {
    return this.asked.filter((prompt) => prompt.name === name);
  }

  async complete(prompt: Prompt): Promise<Completion> {
    const say = this.#script[prompt.name];
    if (say === undefined) throw new Error(`the script has no reply to ${prompt.name}`);
    this.asked.push(prompt);
    const reply = await say(prompt as Prompt<never>, this.asks(prompt.name).length - 1);
    return {
      text: typeof reply === 'string' ? reply : JSON.stringify(reply),
      usage: { calls: 1, inputTokens: 100, outputTokens: 10 },
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
