/**
 * Text on its way through a workflow. Histories hold text only where it must be (design.md section 3), so a workflow hands
 * text to our activities as a claim, which the worker's payload codec (src/claim-check.ts) keeps in the store, leaving its
 * reference in history; and it puts a kept context into an `execute` input as an inlay, which the codec replaces by the text.
 */
export type Text = Claim | Ref;

/** Text still carried along. */
export interface Claim {
  readonly 'engraph:claim': { readonly space: string; readonly text: string };
}

/** Text kept in the store: what `Texts.read` takes. */
export interface Ref {
  readonly 'engraph:ref': string;
}

/** Kept text that stands here as plain text once the codec has seen it. */
export interface Inlay {
  readonly 'engraph:inlay': { readonly space: string; readonly ref: string };
}

export const claim = (space: string, text: string): Claim => ({ 'engraph:claim': { space, text } });

export const refTo = (ref: string): Ref => ({ 'engraph:ref': ref });

/** The kept text as a field of an agent's input: typed as what the agent will see there. */
export function inlay(space: string, ref: string): string {
  const placed: Inlay = { 'engraph:inlay': { space, ref } };
  return placed as unknown as string;
}

/** A text as a field of an agent's input, whichever way it is carried. */
export function asField(space: string, text: Text): string {
  return 'engraph:ref' in text ? inlay(space, text['engraph:ref']) : text['engraph:claim'].text;
}

/** Whether an object in a payload is a claim: text that the codec has to keep. */
export function isClaim(value: object): value is Claim {
  return Object.hasOwn(value, 'engraph:claim');
}

/** Whether an object in a payload is an inlay: kept text that the codec has to put there. */
export function isInlay(value: object): value is Inlay {
  return Object.hasOwn(value, 'engraph:inlay');
}
