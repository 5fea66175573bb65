import { jsonrepair } from 'jsonrepair';
import type { z } from 'zod';

import { EngraphError } from '../domain/failure.js';

/** Places in a reply where its JSON may begin that are tried; the work then stays small for a reply of nothing but braces. */
const MAX_STARTS = 200;

/**
 * A reply without the JSON that was asked for: kind `llm_unparseable`, not retryable as it is (ask once with
 * `repairReplyPrompt`). `reply` is the reply as it came, for the caller to store. It is a getter and in neither `message` nor
 * `details`, since both end up in Temporal's history, where no memory text may be.
 */
export class UnreadableReply extends EngraphError {
  readonly #reply: string;

  constructor(reply: string, why: string) {
    super('llm_unparseable', `the model's reply of ${reply.length} characters cannot be read: ${why}`, {
      details: { characters: reply.length, why },
    });
    this.name = 'UnreadableReply';
    this.#reply = reply;
  }

  get reply(): string {
    return this.#reply;
  }
}

/**
 * The first JSON value of a reply that fits the schema: in a fence of any tag or none, alone, or amid prose with braces of its
 * own (cases O01, O02). A value inside another is never taken for the answer. Only where nothing fits as it stands are small
 * faults mended (commas, quotes), and never in a part that doesn't close, which is a reply cut off. Fails with `UnreadableReply`.
 */
export function readReply<T>(reply: string, schema: z.ZodType<T>): T {
  const text = reply.replace(/^\s*<think>[\s\S]*?<\/think>/u, '');
  const fenced = [...text.matchAll(/```[^\n`]*\r?\n([\s\S]*?)```/gu)].map((match) => match[1] as string);
  const sources = [...fenced, text];
  let why = 'it holds no JSON object';
  for (const parse of [JSON.parse, mended] as const) {
    for (const source of sources) {
      for (const value of valuesIn(source, parse)) {
        const result = schema.safeParse(value);
        if (result.success) return result.data;
        why = `its JSON is not what was asked for: ${faults(result.error)}`;
      }
    }
  }
  throw new UnreadableReply(reply, why);
}

/** Objects and arrays in a text, outermost first, from left to right. */
function* valuesIn(text: string, parse: (part: string) => unknown): Generator<unknown> {
  let starts = 0;
  for (let at = nextStart(text, 0); at !== -1 && starts < MAX_STARTS; starts++) {
    const end = closing(text, at);
    const value = end === undefined ? undefined : attempt(() => parse(text.slice(at, end)));
    if (value !== undefined && end !== undefined) yield value.parsed;
    at = nextStart(text, value !== undefined && end !== undefined ? end : at + 1);
  }
}

function nextStart(text: string, from: number): number {
  const brace = text.indexOf('{', from);
  const bracket = text.indexOf('[', from);
  return brace === -1 ? bracket : bracket === -1 ? brace : Math.min(brace, bracket);
}

/** Where the bracket at `start` is closed (exclusive), brackets in strings not counted; undefined where it never is. */
function closing(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

const mended = (part: string): unknown => JSON.parse(jsonrepair(part));

/** A part that isn't JSON is one place ruled out, nothing more: `readReply` fails when none is left. */
function attempt(parse: () => unknown): { readonly parsed: unknown } | undefined {
  try {
    return { parsed: parse() };
  } catch {
    return undefined;
  }
}

/** Paths and kinds of what is wrong, without the reply's own words. */
function faults(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, code }) => `${path.join('.') || 'the whole'} (${code})`)
    .join(', ');
}
