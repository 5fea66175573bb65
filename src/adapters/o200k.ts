/**
 * Counts tokens of a text by o200k_base, the tokenizer of OpenAI's newer models. What looks like one of its control tokens counts
 * as the plain text that it is here. Its tables take a moment to load, so they are loaded when first asked for.
 */
export async function countO200k(text: string): Promise<number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  return countTokens(text, { disallowedSpecial: new Set() });
}
