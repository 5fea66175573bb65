import type { TermStatistics } from '../ports/vector-store.js';
import type { Statements } from './sqlite-statements.js';

/** A word's saturation in BM25 is long complete at this count, so more repeats would only fill the index. */
const MOST_REPEATS = 1000;

/**
 * A word as one token that FTS5's `ascii` tokenizer leaves alone, whatever it is made of: small letters, digits and all beyond
 * ASCII stay, the rest is U+E000 and four hex digits. So no word can be FTS5 syntax, or meet another word than itself.
 */
export function ftsToken(word: string): string {
  return word.toWellFormed().replace(/[^a-z0-9\u0080-\udfff\ue001-\u{10ffff}]/gu, (character) => {
    return `\ue000${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The FTS5 query for points of one space that have any of the words; there must be one. */
export function ftsQuery(space: number, words: readonly string[]): string {
  return `scope : "${scope(space)}" AND body : (${words.map((word) => `"${ftsToken(word)}"`).join(' OR ')})`;
}

/** Puts a point's words into the full-text index. */
export function indexWords(sql: Statements, space: number, row: number, terms: ReadonlyMap<string, number>): void {
  const body: string[] = [];
  for (const [word, count] of terms) {
    const token = ftsToken(word);
    for (let i = 0; i < Math.min(count, MOST_REPEATS); i++) body.push(token);
  }
  sql.run('insert into words (rowid, scope, body) values (?, ?, ?)', row, scope(space), body.join(' '));
}

/** Takes a point's words out of the full-text index; it must be in there. */
export function unindexWords(sql: Statements, row: number): void {
  sql.run('delete from words where rowid = ?', row);
}

const scope = (space: number): string => `s${space}`;

/** What a point adds to the counts of its space: nothing (undefined) when it is retired or has no words. */
export interface Counted {
  readonly kind: string;
  readonly terms: ReadonlyMap<string, number>;
}

interface Change {
  documents: number;
  words: number;
  readonly frequency: Map<string, number>;
}

/** Gathers what one transaction changes in the counts of current points, so that a word is written once a batch. */
export class Tally {
  readonly #changes = new Map<string, Change>();

  add({ kind, terms }: Counted, sign: 1 | -1): void {
    const change: Change = this.#changes.get(kind) ?? { documents: 0, words: 0, frequency: new Map() };
    this.#changes.set(kind, change);
    change.documents += sign;
    for (const [word, count] of terms) {
      change.words += sign * count;
      change.frequency.set(word, (change.frequency.get(word) ?? 0) + sign);
    }
  }

  write(sql: Statements, space: number): void {
    for (const [kind, { documents, words, frequency }] of this.#changes) {
      sql.run('insert into corpora (space, kind) values (?, ?) on conflict do nothing', space, kind);
      const corpus = corpusOf(sql, space, kind)?.id as number;
      sql.run('update corpora set documents = documents + ?, words = words + ? where id = ?', documents, words, corpus);
      for (const [word, change] of frequency) {
        if (change === 0) continue;
        sql.run(
          'insert into frequency values (?, ?, ?) on conflict do update set documents = documents + excluded.documents',
          corpus,
          word,
          change,
        );
        if (change < 0) sql.run('delete from frequency where corpus = ? and word = ? and documents = 0', corpus, word);
      }
    }
  }
}

interface Corpus {
  readonly id: number;
  readonly documents: number;
  readonly words: number;
}

function corpusOf(sql: Statements, space: number, kind: string): Corpus | undefined {
  return sql.get<Corpus>('select id, documents, words from corpora where space = ? and kind = ?', space, kind);
}

/** The counts of one kind of current points in a space, and how many of them have each of the words. */
export function readStatistics(sql: Statements, space: number, kind: string, words: readonly string[]): TermStatistics {
  const corpus = corpusOf(sql, space, kind) ?? { id: -1, documents: 0, words: 0 };
  const having = (word: string) =>
    sql.get<{ documents: number }>('select documents from frequency where corpus = ? and word = ?', corpus.id, word)?.documents ??
    0;
  return {
    documents: corpus.documents,
    averageLength: corpus.documents === 0 ? 0 : corpus.words / corpus.documents,
    frequency: Object.fromEntries(words.map((word) => [word, having(word)])),
  };
}
