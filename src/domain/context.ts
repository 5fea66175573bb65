import type { NodeKind } from './graph.js';

/** One memory as a step sees it. */
export interface ContextItem {
  /** The small number by which an agent or a model may name it. */
  readonly n: number;
  readonly id: string;
  readonly kind: NodeKind;
  /** Where it comes from, as a person would say it: a document's title, a task, a skill's state. */
  readonly title: string;
  readonly text: string;
}

/** Tokens that each section may take (estimated by `estimateTokens`). */
export interface ContextBudgets {
  readonly semantic: number;
  readonly episodic: number;
  readonly procedural: number;
}

export const DEFAULT_BUDGETS: ContextBudgets = { semantic: 2500, episodic: 1200, procedural: 1200 };

export interface SerialisedContext {
  readonly text: string;
  /** Numbers of the items that are in the text, in its order. */
  readonly shown: readonly number[];
  /** Numbers of the items that a budget left out whole. */
  readonly dropped: readonly number[];
  readonly tokens: number;
}

const SECTIONS: readonly { kind: NodeKind; tag: string }[] = [
  { kind: 'semantic', tag: 'semantic_memory' },
  { kind: 'episodic', tag: 'episodic_memory' },
  { kind: 'procedural', tag: 'procedural_memory' },
];

/**
 * Tokens by a rule of thumb that errs upwards: 4 characters of Latin text, 1 of a script without spaces. Budgets must not
 * depend on a tokenizer's tables, since this runs inside deterministic code too.
 */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (const character of text) if ((character.codePointAt(0) ?? 0) > 0x2e7f) wide += 1;
  return wide + Math.ceil((text.length - wide) / 4);
}

/**
 * A step's memory as text: one section a kind of node [FluxMem], each item escaped so that no memory can close its block.
 * Items keep the order given (best first) inside their section; an item that does not fit the section's budget is cut at a
 * character's end where at least 64 tokens of it fit, else left out and reported. The same items give the same text.
 */
export function serialiseContext(items: readonly ContextItem[], budgets: ContextBudgets = DEFAULT_BUDGETS): SerialisedContext {
  const shown: number[] = [];
  const dropped: number[] = [];
  const sections = SECTIONS.map(({ kind, tag }) => {
    let left = budgets[kind];
    const lines: string[] = [];
    for (const item of items.filter((candidate) => candidate.kind === kind)) {
      const whole = render(item, item.text);
      const cost = estimateTokens(whole);
      if (cost <= left) {
        lines.push(whole);
        shown.push(item.n);
        left -= cost;
        continue;
      }
      const cut = cutTo(item.text, left - estimateTokens(render(item, '')) - 1);
      if (estimateTokens(cut) < SHORTEST_CUT_TOKENS) {
        dropped.push(item.n);
        continue;
      }
      lines.push(render(item, `${cut}…`));
      shown.push(item.n);
      left = 0;
    }
    return lines.length === 0 ? `<${tag}/>` : `<${tag}>\n${lines.join('\n')}\n</${tag}>`;
  });
  const text = sections.join('\n');
  return { text, shown, dropped, tokens: estimateTokens(text) };
}

/** Cutting an item to less than this leaves nothing worth reading. */
const SHORTEST_CUT_TOKENS = 64;

function render({ n, id, title }: ContextItem, text: string): string {
  return `<memory n="${n}" id="${escapeMarkup(id)}" from="${escapeMarkup(title)}">${escapeMarkup(text)}</memory>`;
}

/** A text's beginning that takes at most so many tokens once escaped: what counts is what is shown. */
function cutTo(text: string, tokens: number): string {
  let used = 0;
  let kept = '';
  for (const character of text) {
    const shown = escapeMarkup(character);
    const wide = (shown.codePointAt(0) ?? 0) > 0x2e7f ? 1 : 0;
    used += wide + (shown.length - wide) / 4;
    if (used > tokens) break;
    kept += character;
  }
  return kept;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that can neither open nor close a block, well-formed, with control characters other than tab and line feed as U+FFFD. */
export function escapeMarkup(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"]/gu, (character) => ESCAPES[character] as string)
      // eslint-disable-next-line no-control-regex -- control characters are what this is about
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/gu, '\ufffd')
  );
}

const UNESCAPES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The items of a serialised context, in its order: what `serialiseContext` showed, for an agent that wants them one by one. */
export function parseContext(context: string): ContextItem[] {
  const items: ContextItem[] = [];
  for (const { kind, tag } of SECTIONS) {
    const section = new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, 'u').exec(context)?.[1] ?? '';
    for (const match of section.matchAll(/<memory n="(\d+)" id="([^"]*)" from="([^"]*)">([^<]*)<\/memory>/gu)) {
      const [, n = '', id = '', title = '', text = ''] = match;
      items.push({ n: Number(n), id: unescapeMarkup(id), kind, title: unescapeMarkup(title), text: unescapeMarkup(text) });
    }
  }
  return items;
}

const unescapeMarkup = (text: string): string => text.replace(/&(?:amp|lt|gt|quot);/gu, (entity) => UNESCAPES[entity] as string);
