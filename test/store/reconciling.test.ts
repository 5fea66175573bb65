import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { EngraphError } from '../../src/domain/failure.js';
import { Overlay } from '../../src/domain/reconciliation.js';
import { NO_VERDICTS } from '../../src/domain/update-queue.js';
import type { VectorStore } from '../../src/ports/vector-store.js';
import { JudgedQueues, type QueueName } from '../../src/store/judged-queues.js';
import { Reconciling } from '../../src/store/reconciling.js';
import { Undoing } from '../../src/store/undoing.js';
import { MortalStore } from '../support/mortal-store.js';
import { aFact, anEpisode } from '../support/nodes.js';
import { factsOf, freshFact, queueOf, storingFacts } from '../support/reconciling.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const RUN = 'run';
const QUEUE: QueueName = { space: SPACE, runId: RUN, plan: 0, queue: 0 };
const AT = '2026-03-01T00:00:00.000Z';
const LATER = '2026-04-01T00:00:00.000Z';

const fact = (text: string, month: number) =>
  freshFact(text, { validFrom: new Date(Date.UTC(2024, month)).toISOString(), metadata: { [text]: month } });
const BERLIN = fact('lives in Berlin', 0);
const FERRET = fact('has a ferret', 1);
const PARIS = fact('lives in Paris', 2);
const PIP = fact('has a ferret called Pip', 3);
const GREEN = fact('drinks green tea', 4);
const BLACK = fact('drinks black tea', 5);
const FACTS = [BERLIN, FERRET, PARIS, PIP, GREEN, BLACK];

interface Stage {
  readonly memory: OpenMemory;
  readonly store: MortalStore;
  readonly reconciling: Reconciling;
  readonly undoing: Undoing;
}

/** A space whose one queue was judged: a merge, a supersession, a general fact and a relation. */
async function judged(inner: VectorStore): Promise<Stage> {
  const store = new MortalStore(inner);
  const memory = memoryOver(store, new WordEmbedder());
  await store.ensure(memory.embedder.identity);
  await storingFacts(memory, SPACE, ...FACTS);
  const facts = await factsOf(memory, SPACE);
  const overlay = new Overlay(facts);
  overlay.merge(PIP.id, FERRET.id, { text: 'has one ferret, Pip' });
  overlay.replace(BERLIN.id, PARIS.id, { why: 'supersede', validTo: PARIS.validFrom });
  overlay.abstract([GREEN.id, BLACK.id], 'drinks tea');
  overlay.relate(BLACK.id, PARIS.id);
  await new JudgedQueues(store).keep(QUEUE, {
    ...{ facts: queueOf(facts).facts, changes: overlay.changes(), content: 'this queue' },
    ...{ mergedWithoutModel: 0, verdicts: NO_VERDICTS, refused: [] },
    spent: { calls: 0, inputTokens: 0, outputTokens: 0, model: 'none' },
  });
  return { memory, store, reconciling: new Reconciling(store, memory.nodes), undoing: new Undoing(store, memory.nodes) };
}

const hash = ({ memory }: Stage): Promise<string> => memory.nodes.exportHash(SPACE);
const isKilled = (error: unknown) => error instanceof EngraphError && error.kind === 'store_unavailable';

/** Runs the work with a kill before every one of its writes in turn, each on a stage of its own, and then once more to its end. */
async function killedAnywhere(
  begin: () => Promise<Stage>,
  work: (stage: Stage) => Promise<unknown>,
  check: (stage: Stage, killedBefore: number) => Promise<void>,
): Promise<void> {
  for (let writes = 0; ; writes++) {
    const stage = await begin();
    stage.store.left = writes;
    let killed = false;
    try {
      await work(stage);
    } catch (error) {
      if (!isKilled(error)) throw error;
      killed = true;
    }
    stage.store.left = Number.POSITIVE_INFINITY;
    if (killed) {
      const current = (await factsOf(stage.memory, SPACE)).map(({ text }) => text);
      assert.ok(current.some((text) => text.includes('ferret')) && current.includes(PARIS.text), `killed before write ${writes}`);
      await work(stage);
    }
    await check(stage, writes);
    if (!killed) {
      assert.ok(writes > 5, `only ${writes} writes`);
      return;
    }
  }
}

function describeReconciling(name: string, open: () => Promise<VectorStore>, clean: () => Promise<void>): void {
  describe(`a judged queue, over ${name}`, () => {
    afterEach(clean);
    const begin = async (): Promise<Stage> => await judged(await open());
    const apply = (stage: Stage) => stage.reconciling.apply(QUEUE, { at: AT });
    const undo = (stage: Stage) => stage.undoing.undo(SPACE, RUN, { at: LATER });

    it('is applied as a whole, and once, wherever the process was killed', async () => {
      const whole = await begin();
      assert.deepEqual(await apply(whole), { revised: 3, retired: 2, inserted: 1, stale: false });
      const wanted = await hash(whole);
      await killedAnywhere(begin, apply, async (stage, writes) => {
        assert.equal(await hash(stage), wanted, `killed before write ${writes}`);
        assert.deepEqual(await apply(stage), { revised: 3, retired: 2, inserted: 1, stale: false });
        assert.equal(await hash(stage), wanted);
        assert.ok((await factsOf(stage.memory, SPACE)).every(({ status }) => status === undefined));
      });
    });

    it('is undone as a whole, wherever the process was killed: the graph says what it said before', async () => {
      const before = await hash(await begin());
      const applied = async (): Promise<Stage> => {
        const stage = await begin();
        await apply(stage);
        return stage;
      };
      await killedAnywhere(applied, undo, async (stage, writes) => {
        assert.equal(await hash(stage), before, `killed before write ${writes}`);
        assert.deepEqual(await undo(stage), { restored: 6, inTheWay: [] });
        assert.equal(await hash(stage), before);
      });
    });

    it('is undone where it was applied in part only', async () => {
      const before = await hash(await begin());
      for (const writes of [1, 3, 6]) {
        const stage = await begin();
        stage.store.left = writes;
        await assert.rejects(apply(stage), isKilled);
        stage.store.left = Number.POSITIVE_INFINITY;
        await undo(stage);
        assert.equal(await hash(stage), before, `killed before write ${writes}`);
      }
    });

    it('is withdrawn where somebody changes a fact while it is applied', async () => {
      const plain = await begin();
      await plain.memory.nodes.revise(SPACE, {
        ...{ nodeId: BERLIN.id, version: 1, change: { text: 'lived in Berlin' }, recordedAt: AT, token: 'somebody' },
      });
      const wanted = await hash(plain);
      for (const write of [1, 2, 4]) {
        const stage = await begin();
        const begun = stage.store.made;
        const other = memoryOver(stage.store, new WordEmbedder()).nodes;
        stage.store.before = async (made) => {
          if (made !== begun + write) return;
          stage.store.before = () => Promise.resolve();
          await other.revise(SPACE, {
            ...{ nodeId: BERLIN.id, version: 1, change: { text: 'lived in Berlin' }, recordedAt: AT, token: 'somebody' },
          });
        };
        assert.equal((await apply(stage)).stale, true, `before write ${write}`);
        assert.equal(await hash(stage), wanted, `before write ${write}`);
        assert.equal((await apply(stage)).stale, true);
      }
    });

    it('is not undone where a node was changed since, which is told', async () => {
      const stage = await begin();
      await apply(stage);
      await stage.memory.nodes.revise(SPACE, {
        ...{ nodeId: PARIS.id, version: 2, change: { text: 'lives near Paris' }, recordedAt: LATER, token: 'somebody' },
      });
      const now = await hash(stage);
      assert.deepEqual(await undo(stage), { restored: 0, inTheWay: [{ nodeId: PARIS.id, why: 'changed' }] });
      assert.equal(await hash(stage), now);
    });

    it('is not undone where a later node points at what would go, and is where it pointed there before', async () => {
      const stage = await begin();
      const early = anEpisode('early', { groundedIn: [FERRET.id] });
      await storingFacts(stage.memory, SPACE, early);
      await apply(stage);
      const late = anEpisode('late', { groundedIn: [FERRET.id, BERLIN.id] });
      await stage.memory.nodes.insert(SPACE, [late], { recordedAt: LATER, token: 'late' });
      const now = await hash(stage);
      assert.deepEqual(await undo(stage), { restored: 0, inTheWay: [{ nodeId: FERRET.id, why: 'used', by: late.id }] });
      assert.equal(await hash(stage), now);
      await stage.memory.nodes.retire(SPACE, [late.id], { at: LATER, token: 'gone' });
      assert.deepEqual(await undo(stage), { restored: 6, inTheWay: [] });
    });

    it('goes back through several plans of a run to what was there before the first', async () => {
      const stage = await begin();
      const before = await hash(stage);
      await apply(stage);
      const tokyo = aFact('lives in Tokyo', { validFrom: '2025-01-01T00:00:00.000Z' });
      await storingFacts(stage.memory, SPACE, tokyo);
      const facts = (await factsOf(stage.memory, SPACE)).filter(({ id }) => [FERRET.id, PARIS.id, tokyo.id].includes(id));
      const overlay = new Overlay(facts);
      overlay.replace(PARIS.id, tokyo.id, { why: 'contradict', validTo: tokyo.validFrom });
      overlay.relate(FERRET.id, tokyo.id);
      const second = { ...QUEUE, plan: 1 };
      await new JudgedQueues(stage.store).keep(second, {
        ...{ facts: queueOf(facts).facts, changes: overlay.changes(), content: 'another queue' },
        ...{ mergedWithoutModel: 0, verdicts: NO_VERDICTS, refused: [] },
        spent: { calls: 0, inputTokens: 0, outputTokens: 0, model: 'none' },
      });
      await stage.reconciling.apply(second, { at: AT });
      assert.deepEqual(await undo(stage), { restored: 7, inTheWay: [] });
      await stage.memory.nodes.retire(SPACE, [tokyo.id], { at: LATER, token: 'gone' });
      assert.equal(await hash(stage), before);
      assert.equal(await stage.undoing.wasUndone(SPACE, 'this queue'), true);
      assert.equal(await stage.undoing.wasUndone(SPACE, 'yet another'), false);
    });
  });
}

describeReconciling(
  'a store in memory',
  () => Promise.resolve(new InMemoryVectorStore()),
  () => Promise.resolve(),
);

const folders: string[] = [];
const opened: VectorStore[] = [];
describeReconciling(
  'SQLite',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'engraph-reconciling-'));
    const store = await SqliteVectorStore.open(join(folder, 'memory.db'));
    folders.push(folder);
    opened.push(store);
    return store;
  },
  async () => {
    for (const store of opened.splice(0)) await store.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  },
);
