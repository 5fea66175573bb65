import { EngraphError } from './failure.js';
import { hashOf } from './id.js';

/** Longest space name, in characters (design.md section 1). */
export const SPACE_MAX_CHARACTERS = 256;

/** Longest key that stands for a space or another name in workflow ids, search attributes and fairness keys, in bytes. */
const KEY_MAX_BYTES = 60;

// eslint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;

/**
 * A space's name, checked and returned as it is: 1 to 256 characters (code points), well-formed, no control characters.
 * Fails with `bad_space`.
 */
export function checkSpace(space: unknown): string {
  if (typeof space !== 'string') {
    throw new EngraphError('bad_space', `a space is a string of 1 to ${SPACE_MAX_CHARACTERS} characters, not ${describe(space)}`);
  }
  const length = [...space].length;
  if (length === 0 || length > SPACE_MAX_CHARACTERS) {
    throw new EngraphError('bad_space', `a space has 1 to ${SPACE_MAX_CHARACTERS} characters, this one has ${length}`);
  }
  if (!space.isWellFormed() || CONTROL.test(space)) {
    throw new EngraphError(
      'bad_space',
      `the space ${JSON.stringify(space)} has control characters or broken Unicode; take them out`,
    );
  }
  return space;
}

/**
 * What stands for a name where names are short: its percent-encoded form where that has at most 60 bytes, else its SHA-256
 * in hex (design.md section 1). Two different names never share a key: hex of 64 characters exceeds 60.
 */
export function keyOf(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed());
  return encoded.length <= KEY_MAX_BYTES ? encoded : hashOf(name);
}

function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
