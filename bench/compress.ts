import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import { OnnxTokenScorer } from '../src/adapters/onnx-token-scorer.js';
import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { ScoredCompressor } from '../src/adapters/scored-compressor.js';
import { loadConfig } from '../src/config.js';
import { unitsOf } from '../src/domain/compression.js';
import { dot } from '../src/domain/vector.js';
import type { Compressed } from '../src/ports/compressor.js';
import type { TokenScorer, WordScores } from '../src/ports/token-scorer.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { readData, readLocomo } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';

/** The default first; its figures are the bench's. */
const SHARES = [0.6, 0.4, 0.5, 0.8] as const;

/** Every so many turns are embedded for the cosine. */
const EVERY = 3;

/**
 * What must survive, by patterns that know nothing of the product's own rules: a text's matches that its compressed form lacks
 * are lost.
 */
const MUST_SURVIVE: Readonly<Record<string, RegExp>> = {
  negations: /\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|except|unless)\b|n['’]t\b/giu,
  numbers:
    /\p{N}+(?:[.,:/-]\p{N}+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b/giu,
  identifiers: /\b(?=\S*\p{L})(?=\S*\p{N})[\p{L}\p{N}_-]+\b|\S+@\S+|https?:\/\/\S+/gu,
  dates:
    /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b|\b(?:yesterday|today|tomorrow|tonight|(?:last|next) (?:week|month|year|night|summer|weekend)|(?:days?|weeks?|months?|years?) ago)\b/gu,
};

/** How one kept share did over all turns. */
interface Outcome {
  readonly share: number;
  readonly achieved: number;
  readonly survived: Readonly<Record<string, { readonly found: number; readonly kept: number }>>;
  readonly cosine: number;
}

/**
 * Compression of every turn of a LoCoMo file: the achieved share of the scorer's tokens over all turns, the part of negations,
 * numbers, identifiers and dates that survived, per cent, and the mean cosine to the originals (every third turn). Time is that of scoring, one
 * pass of the model a turn, for each token.
 */
export async function run({ data }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data a LoCoMo file)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `compress: skipped, ${why}` };
  }
  const config = loadConfig();
  const modelDir = await ensureMiniLm(config);
  const embedder = await EmbeddingFile.open(
    await OnnxEmbedder.open(modelDir, { threads: config.threads }),
    join(config.cache, 'bench'),
  );
  const conversations = await readLocomo(bytes, data);
  const texts = conversations.flatMap(({ turns }) => turns.map(({ text }) => text));
  const scorer = new ScoredOnce(await OnnxTokenScorer.open(modelDir, { threads: config.threads }));
  const compressor = new ScoredCompressor(scorer);
  const outcomes: Outcome[] = [];
  const scores = await scorer.scoreWords(texts.map((text) => unitsOf(text).map((unit) => unit.text)));
  const tokens = scores.map((one) => one.tokens.reduce((sum, count) => sum + count, 0));
  for (const share of SHARES) outcomes.push(await measure({ compressor, embedder, texts, tokens }, share));
  await embedder.close();
  const [first] = outcomes as [Outcome];
  return {
    figures: {
      achieved: first.achieved,
      keptPercent: percentKept(first),
      cosine: first.cosine,
      microsecondsPerToken: scorer.microsecondsPerToken,
      ...Object.fromEntries(outcomes.slice(1).map(({ share, achieved }) => [`achievedAt${share * 100}`, achieved])),
    },
    baselines: {},
    input: { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') },
    notes: [
      `${texts.length} turns of ${conversations.length} conversations; ${compressor.name}; asked share ${first.share}`,
      'achieved and tokens: word pieces of the scorer, over all turns; keptPercent: matches of fixed patterns that survived',
      'nothing was tuned on these turns',
    ],
    table: tableOf(outcomes),
  };
}

interface Measured {
  readonly compressor: ScoredCompressor;
  readonly embedder: EmbeddingFile;
  readonly texts: readonly string[];
  /** Of each text, by the scorer's tokenizer. */
  readonly tokens: readonly number[];
}

async function measure({ compressor, embedder, texts, tokens }: Measured, share: number): Promise<Outcome> {
  const compressed = await compressor.compress(texts, share);
  const sampled = texts.map((_, at) => at).filter((at) => at % EVERY === 0);
  const vectors = await embedder.embed(sampled.map((at) => texts[at] as string));
  const short = await embedder.embed(sampled.map((at) => (compressed[at] as Compressed).text));
  const weighted = compressed.reduce((sum, { achieved }, at) => sum + achieved * (tokens[at] ?? 0), 0);
  const survived = Object.entries(MUST_SURVIVE).map(([name, pattern]) => {
    const pairs = texts.map((text, at) => [matches(text, pattern), matches(compressed[at]?.text ?? '', pattern)] as const);
    const found = pairs.reduce((sum, [before]) => sum + before.length, 0);
    const kept = pairs.reduce((sum, [before, after]) => sum + inBoth(before, after), 0);
    return [name, { found, kept }] as const;
  });
  return {
    share,
    achieved: weighted / tokens.reduce((sum, count) => sum + count, 0),
    survived: Object.fromEntries(survived),
    cosine: vectors.reduce((sum, vector, at) => sum + dot(vector, short[at] ?? []), 0) / vectors.length,
  };
}

const tableOf = (outcomes: readonly Outcome[]): string =>
  [
    'asked   achieved   cosine   ' + Object.keys(MUST_SURVIVE).join('   '),
    ...outcomes.map(({ share, achieved, cosine, survived }) =>
      [
        share.toFixed(2).padEnd(7),
        achieved.toFixed(3).padEnd(10),
        cosine.toFixed(3).padEnd(8),
        ...Object.values(survived).map(({ found, kept }) => `${kept}/${found}`.padEnd(12)),
      ].join(' '),
    ),
  ].join('\n');

function percentKept({ survived }: Outcome): number {
  const all = Object.values(survived);
  const found = all.reduce((sum, one) => sum + one.found, 0);
  return found === 0 ? 100 : (100 * all.reduce((sum, one) => sum + one.kept, 0)) / found;
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([match]) => match);

/** How many of the first are in the second, each used once. */
function inBoth(before: readonly string[], after: readonly string[]): number {
  const left = [...after];
  return before.filter((match) => {
    const at = left.indexOf(match);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

/** Scores each text once whatever the share, since scores don't depend on it, and takes the time. */
class ScoredOnce implements TokenScorer {
  readonly #scorer: TokenScorer;
  readonly #scored = new Map<string, WordScores>();
  #milliseconds = 0;

  constructor(scorer: TokenScorer) {
    this.#scorer = scorer;
  }

  get name(): string {
    return this.#scorer.name;
  }

  async scoreWords(texts: readonly (readonly string[])[]): Promise<WordScores[]> {
    const keyed = texts.map((text) => [JSON.stringify(text), text] as const);
    const missing = [...new Map(keyed.filter(([key]) => !this.#scored.has(key)))];
    const start = performance.now();
    const made = await this.#scorer.scoreWords(missing.map(([, text]) => text));
    this.#milliseconds += performance.now() - start;
    missing.forEach(([key], at) => this.#scored.set(key, made[at] as WordScores));
    return keyed.map(([key]) => this.#scored.get(key) as WordScores);
  }

  get microsecondsPerToken(): number {
    const tokens = [...this.#scored.values()].flatMap((scores) => scores.tokens).reduce((sum, count) => sum + count, 0);
    return tokens === 0 ? 0 : (1000 * this.#milliseconds) / tokens;
  }
}
