import { EngraphError } from '../domain/failure.js';
import type { EpisodicNode, Lifecycle, ProceduralNode } from '../domain/graph.js';
import type { JsonObject } from '../domain/json.js';
import { FEWEST_FAILED, isOpen, type RipenEnd, type RipenRound, type SkillUses } from '../domain/skills.js';
import type { CallOptions, Filter, VectorStore } from '../ports/vector-store.js';
import { nodeOf, pointIdOf } from './points.js';
import { Records } from './records.js';
import { scanAll } from './scanning.js';
import { aliveAt } from './validity.js';
import { Versions } from './versions.js';

/** A round as it is kept: in which sleep, and of which. */
export type KeptRound = RipenRound & { readonly runId: string; readonly at: string };

/** What is kept of a skill beside its node: every round of every sleep, the latest hundred. */
export interface SkillHistory {
  readonly rounds: readonly KeptRound[];
  /** The version that was ripened last, and how that ended. */
  readonly ripened?: { readonly version: number; readonly stopped: RipenEnd; readonly counterExamples: number };
  /** Texts whose breaker opened, one after the other. */
  readonly opened: number;
  /** The text of this version is the latest that was counted in `opened`. */
  readonly openedVersion?: number;
}

const MOST_ROUNDS = 100;

/** What is true of skills beside their text: scores, rounds, uses, and which episodes they were drawn from. */
export class SkillStore {
  readonly #store: VectorStore;
  readonly #versions: Versions;
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#store = store;
    this.#versions = new Versions(store);
    this.#records = new Records(store, 'skill');
  }

  /** Current skills in the order of their ids. */
  async current(space: string, options: CallOptions = {}): Promise<ProceduralNode[]> {
    return (await this.#newest(space, aliveAt(), options)).filter(({ lifecycle }) => lifecycle !== 'retired');
  }

  /** Every skill that there ever was in its newest version, retired ones too, in the order of their ids. */
  async all(space: string, options: CallOptions = {}): Promise<ProceduralNode[]> {
    return await this.#newest(space, [], options);
  }

  /** Episodes that no sleep has seen, or that wait for others; oldest first. Cancelled tasks say nothing of how it is done. */
  async unconsolidated(space: string, which: 'new' | 'pooled', options: CallOptions = {}): Promise<EpisodicNode[]> {
    const filter: Filter = [
      { field: 'kind', anyOf: ['episodic'] },
      { field: 'status', anyOf: ['succeeded', 'failed'] },
      which === 'new' ? { field: 'form', absent: true } : { field: 'form', anyOf: ['pooled'] },
      ...aliveAt(),
    ];
    const episodes: EpisodicNode[] = [];
    for await (const point of scanAll(this.#store, space, { filter }, options)) episodes.push(nodeOf(point) as EpisodicNode);
    return episodes.sort((a, b) => (a.recordedAt + a.id < b.recordedAt + b.id ? -1 : 1));
  }

  /** Says of these episodes where they stand. In place: it says nothing about what happened, so it makes no new version. */
  async mark(
    space: string,
    episodeIds: readonly string[],
    form: 'pooled' | 'consolidated',
    options: CallOptions = {},
  ): Promise<void> {
    await this.#inPlace(space, episodeIds, `consolidation ${form}`, { form }, options.signal);
  }

  /** Gives the skill's current version its score and its place in life, in place. A version that is no longer current is left alone. */
  async measure(
    space: string,
    { nodeId, version }: { nodeId: string; version: number },
    measured: { lifecycle: Lifecycle; maturity?: number; estimated?: boolean },
    options: CallOptions = {},
  ): Promise<void> {
    const { lifecycle: status, ...score } = measured;
    const fields = JSON.parse(JSON.stringify({ status, ...score })) as JsonObject;
    await this.#inPlace(space, [nodeId], `measure ${version} ${JSON.stringify(fields)}`, fields, options.signal, version);
  }

  /** Since when the skill says what it says: the time of the first version with this text. */
  async textSince(space: string, node: ProceduralNode, options: CallOptions = {}): Promise<string> {
    let since = node.recordedAt;
    for (let version = node.version - 1; version > 0; version--) {
      const [point] = await this.#store.fetch(space, [pointIdOf(node.id, version)], {}, options);
      if (point?.payload['text'] !== node.text) break;
      since = String(point.payload['recordedAt']);
    }
    return since;
  }

  /** What the version before the current one said; undefined on the first. */
  async textBefore(space: string, { id, version }: ProceduralNode, options: CallOptions = {}): Promise<string | undefined> {
    const [point] = await this.#store.fetch(space, [pointIdOf(id, version - 1)], {}, options);
    return point === undefined ? undefined : String(point.payload['text']);
  }

  /** Whether tasks go without the skill since its text fails. */
  async isOpen(space: string, node: ProceduralNode, options: CallOptions = {}): Promise<boolean> {
    // Whatever the text, too few tasks failed with it: the usual case, told without a search by time.
    const failed = await this.#store.count(space, usedBy(node.id, ['failed']), options);
    return failed >= FEWEST_FAILED && isOpen(await this.uses(space, node, options));
  }

  /** Tasks that had this text in their context and have ended, counted from their episodes. */
  async uses(space: string, node: ProceduralNode, options: CallOptions = {}): Promise<SkillUses> {
    const since = await this.textSince(space, node, options);
    const count = async (...outcomes: readonly string[]): Promise<number> => {
      return await this.#store.count(space, [...usedBy(node.id, outcomes), { field: 'recordedAt', from: since }], options);
    };
    const used = await count('succeeded', 'failed');
    return { used, succeeded: used === 0 ? 0 : await count('succeeded') };
  }

  /** What is kept of the skill; nothing yet is an empty history. */
  async history(space: string, skillId: string, options: CallOptions = {}): Promise<SkillHistory> {
    return historyOf((await this.#records.find(space, skillId, options))?.payload);
  }

  /** Changes the history; done again with what it made it changes nothing. */
  async keep(
    space: string,
    skillId: string,
    change: (history: SkillHistory) => SkillHistory,
    options: CallOptions = {},
  ): Promise<SkillHistory> {
    const kept = await this.#records.change(
      space,
      skillId,
      (fields) => {
        const before = historyOf(fields);
        const after = change(before);
        const whole = { ...after, rounds: after.rounds.slice(-MOST_ROUNDS) };
        return JSON.stringify(whole) === JSON.stringify(before) ? undefined : (JSON.parse(JSON.stringify(whole)) as JsonObject);
      },
      options,
    );
    return historyOf(kept);
  }

  async #newest(space: string, alive: Filter, options: CallOptions): Promise<ProceduralNode[]> {
    const newest = new Map<string, ProceduralNode>();
    const filter: Filter = [{ field: 'kind', anyOf: ['procedural'] }, ...alive];
    for await (const point of scanAll(this.#store, space, { filter }, options)) {
      const node = nodeOf(point) as ProceduralNode;
      if (node.version > (newest.get(node.id)?.version ?? 0)) newest.set(node.id, node);
    }
    return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #inPlace(
    space: string,
    ids: readonly string[],
    token: string,
    fields: JsonObject,
    signal: AbortSignal | undefined,
    version?: number,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const points = await this.#versions.alive(space, ids, { signal, what: { vector: true, terms: true } });
      const writes = [...points.values()].flatMap(({ revision, ...point }) => {
        const payload = { ...point.payload, ...fields };
        const isAsWanted = JSON.stringify(payload) === JSON.stringify(point.payload);
        if (isAsWanted || (version !== undefined && point.payload['version'] !== version)) return [];
        return [{ point: { ...point, payload }, expect: revision, token }];
      });
      try {
        return await this.#versions.write(space, writes, signal);
      } catch (error) {
        const passed = error instanceof EngraphError && error.kind === 'version_conflict' && tries < MOST_TRIES;
        if (!passed) throw error; // otherwise somebody else wrote one of them meanwhile: read again
      }
    }
  }
}

const MOST_TRIES = 5;

/** Episodes of tasks that had this skill in their context, by how they ended. */
const usedBy = (skillId: string, outcomes: readonly string[]): Filter => [
  { field: 'kind', anyOf: ['episodic'] },
  { field: 'inherited', anyOf: [skillId] },
  { field: 'status', anyOf: outcomes },
  ...aliveAt(),
];

function historyOf(fields: JsonObject | undefined): SkillHistory {
  const { rounds = [], opened = 0, ripened, openedVersion } = (fields ?? {}) as unknown as Partial<SkillHistory>;
  return { rounds, ...(ripened && { ripened }), opened, ...(openedVersion !== undefined && { openedVersion }) };
}
