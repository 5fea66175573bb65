import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import { idOf } from '../src/domain/id.js';
import type { StructureParameters } from '../src/domain/structure.js';
import { turnIdOf } from '../src/domain/turn.js';
import type { Embedder } from '../src/ports/embedder.js';
import { NodeStore, type NewNode } from '../src/store/nodes.js';
import { Recall } from '../src/store/recall.js';
import { TurnStore } from '../src/store/turns.js';
import { DEEPEST } from './recall-measure.js';
import type { Conversation, Question } from './recall-locomo.js';

/** Candidates that each signal nominates when nobody says how many: the longer lists of a bench must not look deeper. */
const DEFAULT_CANDIDATES = 100;

const RECORDED_AT = '2026-01-01T00:00:00.000Z';

/** Conversations remembered, each in a space of its own, turn by turn; with their observations as facts where asked. */
export class BenchMemory {
  readonly #store: InMemoryVectorStore;
  readonly #embedder: Embedder;
  readonly #facts: boolean;

  private constructor(store: InMemoryVectorStore, embedder: Embedder, facts: boolean) {
    this.#store = store;
    this.#embedder = embedder;
    this.#facts = facts;
  }

  static async of(conversations: readonly Conversation[], embedder: Embedder, facts: boolean): Promise<BenchMemory> {
    const store = new InMemoryVectorStore();
    await store.ensure(embedder.identity);
    const nodes = new NodeStore(store, embedder);
    for (const conversation of conversations) {
      const { name: space, turns } = conversation;
      const said = turns.map(({ id: key, speaker, text, at }, sequence) => ({
        ...{ key, sequence, role: 'user' as const, speaker, text, at, indexed: true },
      }));
      const write = { space, conversation: space, by: idOf('bench', space), recordedAt: RECORDED_AT };
      await new TurnStore(store, embedder).store(said, write);
      if (facts) await nodes.insert(space, factsOf(conversation), { recordedAt: RECORDED_AT, token: write.by });
    }
    return new BenchMemory(store, embedder, facts);
  }

  /** Turns found by `Recall.search` with its defaults, best first, for each question; turns alone where there are facts too. */
  async ask({ name, turns }: Conversation, questions: readonly Question[], structure?: StructureParameters): Promise<string[][]> {
    const recall = new Recall(this.#store, this.#embedder, new NodeStore(this.#store, this.#embedder), structure);
    const idOfNode = new Map(turns.map(({ id }) => [nodeIdOf(name, id), id]));
    const options = { limit: DEEPEST, candidates: DEFAULT_CANDIDATES, ...(this.#facts && { forms: ['turn' as const] }) };
    const lists: string[][] = [];
    for (const { text } of questions) {
      const hits = await recall.search(name, text, options);
      lists.push(hits.map(({ node }) => idOfNode.get(node.id) ?? node.id));
    }
    return lists;
  }
}

const nodeIdOf = (conversation: string, turn: string): string => turnIdOf(conversation, conversation, turn);

function factsOf({ name, observations }: Conversation): NewNode[] {
  return observations.map(({ text, speaker, turns, at }, place) => ({
    ...{ id: idOf(name, 'observation', place), kind: 'semantic', form: 'fact', text, speaker, validFrom: at },
    source: { conversation: name, turns },
    edges: { derivedFrom: turns.map((turn) => nodeIdOf(name, turn)) },
  }));
}
