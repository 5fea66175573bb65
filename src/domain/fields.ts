import { EngraphError } from './failure.js';

/** Longest text of one field that may be in a history, in UTF-8 bytes (design.md section 3). */
export const TEXT_MAX_BYTES = 65_536;

/** A failure of kind `validation`. */
export const invalid = (message: string): EngraphError => new EngraphError('validation', message);

/** The value as an object of fields; anything else is refused by name. */
export function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} is ${show(value)}; it must be an object`);
  return value as Readonly<Record<string, unknown>>;
}

/** Refuses a field that nobody knows, so that a misspelt setting is no silence. */
export function onlyKeys(value: Readonly<Record<string, unknown>>, name: string, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw invalid(`${name} has an unknown field ${show(unknown)}; it may have ${known.join(', ')}`);
}

/** The defaults with what was given in their place. */
export function settings<T extends object>(defaults: T, given: unknown, name: string): T {
  if (given === undefined) return defaults;
  const input = record(given, name);
  onlyKeys(input, name, Object.keys(defaults));
  return { ...defaults, ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) };
}

/** A whole number within bounds. */
export function whole(value: unknown, name: string, least: number, most: number): number {
  const checked = number(value, name, least, most);
  if (!Number.isInteger(checked)) throw invalid(`${name} is ${checked}; it must be a whole number`);
  return checked;
}

/** A finite number within bounds. */
export function number(value: unknown, name: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(`${name} is ${show(value)}; it must be a number`);
  if (value < least || value > most) throw invalid(`${name} is ${value}; it must be from ${least} to ${most}`);
  return value;
}

/** The check, where there is anything to check. */
export function optional<T>(value: unknown, check: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : check(value);
}

/** A text that a history can hold: `too_large` beyond `TEXT_MAX_BYTES`. */
export function text(value: unknown, name: string, needed: boolean): string {
  if (typeof value !== 'string') throw invalid(`${name} is ${show(value)}; it must be text`);
  if (needed && value.trim() === '') throw invalid(`${name} is empty`);
  const bytes = byteLength(value);
  if (bytes > TEXT_MAX_BYTES) {
    throw new EngraphError('too_large', `${name} has ${bytes} bytes; at most ${TEXT_MAX_BYTES} may be in a task's history`, {
      details: { field: name, bytes, limit: TEXT_MAX_BYTES },
    });
  }
  return value;
}

/** A name: text of 1 to `most` characters, well-formed. */
export function shortText(value: unknown, name: string, most: number): string {
  if (typeof value !== 'string' || value === '')
    throw invalid(`${name} is ${show(value)}; it must be text of 1 to ${most} characters`);
  if (value.length > most) throw invalid(`${name} has ${value.length} characters; at most ${most}`);
  // Two names that differ in broken characters only would become one id.
  if (!value.isWellFormed()) throw invalid(`${name} has broken Unicode; take the lone surrogates out`);
  return value;
}

/** Bytes of a text in UTF-8, without an encoder, since this runs in the workflow sandbox too. */
export function byteLength(value: string): number {
  let bytes = 0;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** A value as a message shows it: short, and `missing` where there is none. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
}
