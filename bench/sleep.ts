import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { planQueues } from '../activities/planning.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { memoryOver, openEmbedder } from '../src/compose.js';
import { loadConfig } from '../src/config.js';
import { EngraphError } from '../src/domain/failure.js';
import { idOf } from '../src/domain/id.js';
import type { SleepResult } from '../src/domain/sleep-result.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { Completion, LanguageModel, Prompt } from '../src/ports/language-model.js';
import type { ReconcileInput, ReconcileReply } from '../src/prompts/inputs-reconcile.js';
import type { NewNode } from '../src/store/nodes.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../test/support/environment.js';
import { tokensOf } from './ingest-observer.js';
import { readData, readLocomo } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';
import { clusteredVectors, factStream, movedPairs, MIX, type StreamFact } from './sleep-facts.js';
import { offlineUpdate, THRESHOLD, type Entry } from './sleep-lightmem.js';

const MODEL_MS = 200;
const PAIRS = 160;
const FRESH = 500;
const STORES = [5_000, 10_000] as const;
const STREAM = 450;
const SLEEPS = 3;

/**
 * What a sleep costs. `speedup8`: eight lanes against one over the same 160 update queues, each with one target, with a model
 * that takes 200 ms. `planGrowth`: time to plan 500 fresh facts in a store of 10,000 against one of 5,000. `callsPerFact`,
 * `callsRatio`, `tokensRatio`: model calls for each fresh fact of a stream that is slept on three times, against LightMem's rule on
 * the same facts with the same answers. With `--data` a LoCoMo file its observations are the stream, else one that is made up
 * (a third said again, a fifth changed).
 */
export async function run({ data }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  const streams = data === undefined || bytes === undefined ? [factStream(STREAM)] : await observed(bytes, data);
  const embedder = await openEmbedder(loadConfig());
  await startEnvironment({ asDeployed: true });
  try {
    const lanes = await lanesOf(embedder);
    const plans = [await planMs(STORES[0]), await planMs(STORES[1])];
    let [ours, theirs] = [NOTHING, NOTHING];
    for (const facts of streams) {
      ours = added(ours, await ourCalls(facts, embedder));
      theirs = added(theirs, await lightMemCalls(facts, embedder));
    }
    return told({ lanes, plans, ours, theirs, facts: streams.flat().length }, data);
  } finally {
    await stopEnvironment();
    await embedder.close();
  }
}

interface Cost {
  readonly calls: number;
  readonly tokens: number;
}

const NOTHING: Cost = { calls: 0, tokens: 0 };
const added = (a: Cost, b: Cost): Cost => ({ calls: a.calls + b.calls, tokens: a.tokens + b.tokens });

function told(
  {
    lanes,
    plans,
    ours,
    theirs,
    facts,
  }: { lanes: { one: number; eight: number }; plans: number[]; ours: Cost; theirs: Cost; facts: number },
  data: string | undefined,
): BenchResult {
  const [five = Number.NaN, ten = Number.NaN] = plans;
  const figures = {
    speedup8: lanes.one / lanes.eight,
    planGrowth: ten / five,
    callsPerFact: ours.calls / facts,
    tokensPerFact: ours.tokens / facts,
    callsRatio: ours.calls / Math.max(1, theirs.calls),
    tokensRatio: ours.tokens / Math.max(1, theirs.tokens),
  };
  return {
    figures,
    baselines: {
      oneLane: { seconds: lanes.one, secondsOfEight: lanes.eight },
      planned: { msIn5000: five, msIn10000: ten },
      lightmem: { callsPerFact: theirs.calls / facts, tokensPerFact: theirs.tokens / facts },
    },
    notes: [
      `${PAIRS} queues of one target, a model of ${MODEL_MS} ms, real workers on one machine, without the gate; seconds from start to result`,
      `planning: ${FRESH} fresh facts over SQLite, median of three`,
      data === undefined
        ? `stream: ${facts} made-up facts, ${100 * MIX.restated} % said again, ${100 * MIX.changed} % changed, ${SLEEPS} sleeps; the scripted model knows which`
        : `stream: ${facts} observations of ${data}, ${SLEEPS} sleeps a conversation; the scripted model keeps everything`,
      `LightMem's rule: in each sleep one call for each entry with later ones at cosine ${THRESHOLD} or more; tokens of prompts alone, both worded as ours`,
    ],
    table: [
      `8 lanes against 1: ${lanes.eight.toFixed(1)} s, ${lanes.one.toFixed(1)} s, ${figures.speedup8.toFixed(2)} times as fast`,
      `planning ${FRESH} fresh facts: ${five.toFixed(0)} ms among ${STORES[0]}, ${ten.toFixed(0)} ms among ${STORES[1]}, ratio ${figures.planGrowth.toFixed(2)}`,
      `model calls a fact: ${figures.callsPerFact.toFixed(3)}; LightMem's rule ${(theirs.calls / facts).toFixed(3)}; ratio ${figures.callsRatio.toFixed(2)}`,
      `prompt tokens a fact: ${figures.tokensPerFact.toFixed(0)}; LightMem's rule ${(theirs.tokens / facts).toFixed(0)}; ratio ${figures.tokensRatio.toFixed(2)}`,
    ].join('\n'),
  };
}

/** A model that decides by a script after a while, and counts. */
class Reconciler implements LanguageModel {
  readonly name = 'scripted';
  readonly isLanguageModel = true;
  readonly #waitMs: number;
  readonly #decide: (input: ReconcileInput) => ReconcileReply['verdicts'];
  counted = NOTHING;

  constructor(waitMs: number, decide: (input: ReconcileInput) => ReconcileReply['verdicts']) {
    this.#waitMs = waitMs;
    this.#decide = decide;
  }

  async complete({ name, system, user, input }: Prompt): Promise<Completion> {
    if (name !== 'reconcile') throw new EngraphError('llm_rejected', `the scripted model has no answer to ${name}`);
    if (this.#waitMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#waitMs));
    const inputTokens = tokensOf(system) + tokensOf(user);
    this.counted = added(this.counted, { calls: 1, tokens: inputTokens });
    const text = JSON.stringify({ reason: 'scripted', verdicts: this.#decide(input as ReconcileInput) });
    return { text, usage: { calls: 1, inputTokens, outputTokens: tokensOf(text) } };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Seconds that one and that eight lanes take for the same queues. */
async function lanesOf(embedder: Embedder): Promise<{ one: number; eight: number }> {
  const supersede = ({ memories }: ReconcileInput) => memories.map(({ n }) => ({ n, verdict: 'supersede' as const, text: null }));
  const seconds = async (lanes: number): Promise<number> => {
    const model = new Reconciler(MODEL_MS, supersede);
    let took = Number.NaN;
    await onStore(embedder, model, async (stage) => {
      const space = `lanes ${lanes}`;
      const moved = movedPairs(PAIRS, embedder.identity.dimension).flatMap(({ before, after, person, vector }, at) => [
        { ...aFact(space, before, timeAt(at), false, person), vector },
        { ...aFact(space, after, timeAt(PAIRS + at), true, person), vector },
      ]);
      await insert(stage, space, moved);
      const start = performance.now();
      const { reconcile } = await sleep(stage, space, lanes);
      took = (performance.now() - start) / 1_000;
      if (reconcile?.queues !== PAIRS || model.counted.calls !== PAIRS)
        throw new Error(`${reconcile?.queues} queues and ${model.counted.calls} calls in place of ${PAIRS}`);
    });
    return took;
  };
  return { one: await seconds(1), eight: await seconds(8) };
}

const sleep = async ({ client }: Stage, space: string, lanes = 8): Promise<SleepResult> =>
  await client.sleep(space, { phases: ['reconcile'], reconcile: { lanes, gate: false } });

/** Milliseconds to plan the fresh facts of a store with so many settled ones; the median of three plans of the same. */
async function planMs(settled: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-sleep-'));
  const store = await SqliteVectorStore.open(join(folder, 'memory.db'));
  const identity = { model: 'clustered', dimension: 384, hash: 'bench' };
  await store.ensure(identity);
  const vectorOf = clusteredVectors(identity.dimension);
  const embed = (texts: readonly string[]) => Promise.resolve(texts.map(vectorOf));
  const memory = memoryOver(store, { identity, embed, close: () => Promise.resolve() });
  const space = 'plan';
  const texts = Array.from({ length: (settled + FRESH) / 2 }, (_, at) => movedText(at));
  const facts = texts.flat().map((text, at) => aFact(space, text, timeAt(at), at >= settled));
  for (let from = 0; from < facts.length; from += 1_000)
    await memory.nodes.insert(space, facts.slice(from, from + 1_000), { recordedAt: timeAt(0), token: `bench ${from}` });
  const times: number[] = [];
  for (let at = 0; at < 3; at++) {
    const start = performance.now();
    const { fresh } = await planQueues(memory, { space, runId: `run ${at}`, plan: 0, planFacts: FRESH });
    times.push(performance.now() - start);
    if (fresh !== FRESH) throw new Error(`${fresh} facts were planned in place of ${FRESH}`);
  }
  await memory.close();
  await rm(folder, { recursive: true, force: true });
  return times.sort((a, b) => a - b)[1] ?? Number.NaN;
}

const movedText = (at: number): string[] => [
  `Parcel number ${at} of depot ${at % 97} lies in hall ${at % 13}.`,
  `Parcel number ${at} of depot ${at % 97} was sent on to hall ${(at + 5) % 13}.`,
];

/** Calls of ours for a stream that is slept on as it comes. */
async function ourCalls(facts: readonly StreamFact[], embedder: Embedder): Promise<Cost> {
  const truth = new Map(facts.map((fact) => [fact.text, fact]));
  const model = new Reconciler(0, ({ fact, memories }) =>
    memories.flatMap(({ n, text }): ReconcileReply['verdicts'] => {
      const [a, b] = [truth.get(fact.text), truth.get(text)];
      if (a === undefined || b === undefined || a.matter === '' || a.person !== b.person || a.matter !== b.matter) return [];
      return a.value === b.value ? [{ n, verdict: 'merge', text: a.text }] : [{ n, verdict: 'supersede', text: null }];
    }),
  );
  await onStore(embedder, model, async (stage) => {
    for (const some of inSleeps(facts)) {
      await insert(
        stage,
        'stream',
        some.map((fact) => aFact('stream', fact.text, fact.at, true, fact.person)),
      );
      const { end, reconcile } = await sleep(stage, 'stream');
      if (end !== 'done' || (reconcile?.left.length ?? 0) > 0) throw new Error(`the sleep ended as ${end}, not all done`);
    }
  });
  return model.counted;
}

/** Calls of LightMem's rule for the same stream. */
async function lightMemCalls(facts: readonly StreamFact[], embedder: Embedder): Promise<Cost> {
  const truth = new Map(facts.map((fact) => [`${fact.at} ${fact.text}`, fact]));
  const of = ({ at, text }: Entry): StreamFact | undefined => truth.get(`${at} ${text}`);
  let entries: Entry[] = [];
  let cost = NOTHING;
  for (const some of inSleeps(facts)) {
    const vectors = await embedder.embed(some.map(({ text }) => text));
    entries = [...entries, ...some.map(({ text, at }, i) => ({ text, at, vector: vectors[i] ?? [] }))];
    const done = offlineUpdate(entries, (target, later) => {
      const own = of(target);
      const isOutdated = later
        .map(of)
        .some(
          (one) => own?.matter !== '' && one?.person === own?.person && one?.matter === own?.matter && one?.value !== own?.value,
        );
      return isOutdated ? 'delete' : 'ignore';
    });
    entries = done.entries;
    cost = added(cost, done);
  }
  return cost;
}

function inSleeps(facts: readonly StreamFact[]): (readonly StreamFact[])[] {
  const each = Math.ceil(facts.length / SLEEPS);
  return Array.from({ length: SLEEPS }, (_, at) => facts.slice(at * each, (at + 1) * each)).filter((some) => some.length > 0);
}

/** A conversation's observations as they came. What is true of them nobody knows. */
async function observed(bytes: Uint8Array, file: string): Promise<StreamFact[][]> {
  return (await readLocomo(bytes, file)).map(({ observations }) =>
    [...observations]
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .map(({ text, speaker, at }, i) => ({
        ...{ text, person: speaker, matter: '', value: '' },
        at: new Date(Date.parse(at) + i * 1_000).toISOString(),
      })),
  );
}

function aFact(space: string, text: string, validFrom: string, isFresh: boolean, speaker?: string): NewNode {
  return {
    ...{ id: idOf('bench fact', space, text, validFrom), kind: 'semantic', form: 'fact', text, validFrom, role: 'user' },
    source: {},
    edges: {},
    ...(speaker !== undefined && { speaker }),
    ...(isFresh && { status: 'fresh' as const }),
  };
}

const timeAt = (hour: number): string => new Date(Date.UTC(2024, 0, 1) + hour * 3_600_000).toISOString();

const insert = async ({ memory }: Pick<Stage, 'memory'>, space: string, nodes: readonly NewNode[]): Promise<void> =>
  void (await memory.nodes.insert(space, nodes, { recordedAt: timeAt(0), token: idOf('bench', space, nodes[0]?.id ?? '') }));

/** Runs the body beside workers over a store in a file, as on a laptop. */
async function onStore(embedder: Embedder, model: LanguageModel, body: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-sleep-'));
  const memory = memoryOver(await SqliteVectorStore.open(join(folder, 'memory.db')), embedder);
  await withEngraph({ memory, model }, body);
  await memory.store.close();
  await rm(folder, { recursive: true, force: true });
}
