import type { Json, JsonObject } from './json.js';

/** Secrets whose shape is known, by what they are. Each is marked by something that ordinary text, hashes and ids don't have. */
const SHAPES: readonly { readonly kind: string; readonly shape: RegExp }[] = [
  {
    kind: 'private key',
    shape:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/gu,
  },
  { kind: 'jwt', shape: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/gu },
  { kind: 'api key', shape: /\bsk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}/gu },
  { kind: 'api key', shape: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/gu },
  { kind: 'api key', shape: /\bAIza[A-Za-z0-9_-]{35}/gu },
  { kind: 'api key', shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu },
  { kind: 'token', shape: /\bgh[pousr]_[A-Za-z0-9]{36,}/gu },
  { kind: 'token', shape: /\bgithub_pat_[A-Za-z0-9_]{22,}/gu },
  { kind: 'token', shape: /\bglpat-[A-Za-z0-9_-]{20,}/gu },
  { kind: 'token', shape: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/gu },
  { kind: 'token', shape: /\bnpm_[A-Za-z0-9]{36}\b/gu },
  { kind: 'token', shape: /\bhf_[A-Za-z0-9]{30,}/gu },
  { kind: 'token', shape: /(?<=\bBearer\s+)(?=[^\s"'`]*\d)[A-Za-z0-9._~+/-]{20,}=*/giu },
];

/** Digits in the groupings that cards are written in: together, or 4-4-4-4(-3), 4-6-5, 4-6-4 with one separator throughout. */
const CARD =
  /(?<![\w.-])(?:\d{13,19}|\d{4}(?<a>[ -])\d{4}\k<a>\d{4}\k<a>\d{4}(?:\k<a>\d{1,3})?|\d{4}(?<b>[ -])\d{6}\k<b>\d{4,5})(?!\w|[.-]\w)/gu;

/** First digits and lengths that card schemes give out; a time in milliseconds starts with none of them. */
const ISSUED =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17})$/u;

/**
 * A text with its secrets replaced by `[redacted:KIND]`, and how many there were: API keys and tokens of well-known shapes,
 * private keys, JSON web tokens, bearer tokens, and card numbers that an issuer may have given and whose check digit is right.
 * Done again it finds nothing. Hashes, UUIDs, versions and times stay.
 */
export function redactSecrets(text: string): { readonly text: string; readonly redacted: number } {
  let redacted = 0;
  const gone = (kind: string): string => {
    redacted += 1;
    return `[redacted:${kind}]`;
  };
  let clean = text;
  for (const { kind, shape } of SHAPES) clean = clean.replace(shape, () => gone(kind));
  clean = clean.replace(CARD, (number) => (isCard(number.replace(/\D/gu, '')) ? gone('card number') : number));
  return { text: clean, redacted };
}

/** The value with the secrets of all its texts replaced; names of fields stay. */
export function withoutSecrets(value: Json): Json {
  if (typeof value === 'string') return redactSecrets(value).text;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, inner]) => [name, withoutSecrets(inner)]));
}

/** The check digit of ISO/IEC 7812 (Luhn): every second digit from the right doubled, the sum divisible by 10. */
function isCard(digits: string): boolean {
  if (!ISSUED.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
