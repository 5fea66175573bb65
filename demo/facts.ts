/** What the judge knows of one task: a fact out of another file than those learned, and what to say of a wrong answer. */
export type Fact = {
  readonly kind: 'version' | 'licence' | 'person' | 'bytes';
  /** The truth. Never part of a feedback. */
  readonly value: string;
  /** Values of the same kind that are true of other packages: an answer that has one is about another thing. */
  readonly others: readonly string[];
  /** Said of an answer without anything of the kind. */
  readonly missing: string;
  /** Said of an answer that is wrong. */
  readonly wrong: string;
  /** Said instead where the answer is true of another package. */
  readonly elsewhere?: string;
};

const VERSION = /\d+\.\d+\.\d+(?:-[\w.]+)?/gu;
const NUMBER = /\d+(?:[.,]\d+)*/gu;

/** Whether an answer states the fact and nothing that contradicts it. */
export function holds({ kind, value, others }: Fact, answer: string): boolean {
  switch (kind) {
    case 'version':
      return statesOnly(value, answer.match(VERSION) ?? []);
    case 'bytes':
      return statesOnly(
        value,
        (answer.match(NUMBER) ?? []).map((number) => number.replaceAll(',', '')),
      );
    case 'licence':
      return hasLicence(value, answer) && !others.some((other) => other !== value && hasLicence(other, answer));
    case 'person':
      return plain(answer).includes(plain(value));
  }
}

/** Whether a text says what the fact says, among other things. */
export function mentions({ kind, value }: Fact, text: string): boolean {
  return kind === 'licence' ? hasLicence(value, text) : plain(text).includes(plain(value));
}

/** What to tell whoever gave this answer: what kind of thing is wrong with it, never what would be right. */
export function feedbackOn({ kind, others, missing, wrong, elsewhere }: Fact, answer: string): string {
  if (!hasKind(kind, others, answer)) return missing;
  const isAnothers = others.some((other) =>
    kind === 'licence' ? hasLicence(other, answer) : plain(answer).includes(plain(other)),
  );
  return isAnothers ? (elsewhere ?? wrong) : wrong;
}

function hasKind(kind: Fact['kind'], others: readonly string[], answer: string): boolean {
  switch (kind) {
    case 'version':
      return answer.match(VERSION) !== null;
    case 'bytes':
      return answer.match(NUMBER) !== null;
    case 'licence':
      return others.some((other) => hasLicence(other, answer));
    case 'person':
      return /\p{Lu}\p{L}+ \p{Lu}\p{L}+/u.test(answer);
  }
}

const statesOnly = (value: string, stated: readonly string[]): boolean =>
  stated.length > 0 && stated.every((one) => one === value);

/** `BSD-3-Clause` as it may be written: with spaces or dashes, and `Apache License 2.0` for Apache-2.0. */
function hasLicence(id: string, text: string): boolean {
  const spelled = id
    .split('-')
    .map((part) => part.replace(/[.+()]/gu, '\\$&'))
    .join('(?:[ -]|,? ?(?:License|Licence),? ?(?:Version )?)?');
  return new RegExp(`(?<![\\w-])${spelled}(?![\\w-])`, 'iu').test(text);
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
