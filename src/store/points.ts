import { entitiesOf } from '../domain/entities.js';
import { EngraphError } from '../domain/failure.js';
import { EDGE_FIELDS, NODE_KINDS, type Edges, type EpisodicNode, type GraphNode, type NodeKind } from '../domain/graph.js';
import { idOf } from '../domain/id.js';
import type { Json, JsonObject } from '../domain/json.js';
import { countWords } from '../domain/words.js';
import type { Point, StoredPoint } from '../ports/vector-store.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** The point of one version of a node: uuid5(node id, version), the same in every attempt (design.md section 2). */
export const pointIdOf = (nodeId: string, version: number): string => idOf('point', nodeId, version);

/**
 * What of a node is embedded and tokenised. A chunk brings its document's title, so that a piece of a package's README is
 * found by the package's name; a summary its own title; a turn its speaker; an episode is found by its task and its trajectory, not by the task alone.
 */
export function indexedText(node: Pick<GraphNode, 'kind' | 'text'> & Partial<GraphNode>): string {
  switch (node.kind) {
    case 'semantic': {
      const titled = node.form === 'chunk' || node.form === 'summary';
      const before = titled ? node.source?.title : node.form === 'turn' ? node.speaker : undefined;
      return before === undefined || before === '' ? node.text : `${before}: ${node.text}`;
    }
    case 'episodic': {
      const { instruction = '', trajectory = [] } = node as Partial<EpisodicNode>;
      const acts = trajectory.flatMap(({ observation, action }) => [observation, action]);
      return [instruction, ...acts].filter((part) => part !== '').join('\n');
    }
    case 'procedural':
      return node.text;
  }
}

/**
 * What of a node its vector is made of: `indexedText`, but of a turn what was said alone. A name before every turn draws all
 * of them together; who spoke is a matter of its own in a search (facts on LoCoMo, recipe S).
 */
export const embeddedText = (node: Pick<GraphNode, 'kind' | 'text'> & Partial<GraphNode>): string =>
  node.kind === 'semantic' && node.form === 'turn' ? node.text : indexedText(node);

/** What of a node its words are counted from: `indexedText`, a turn with the day it was said on (in UTC) before it. */
export function countedText(node: GraphNode): string {
  const said = new Date(node.kind === 'semantic' && node.form === 'turn' ? (node.validFrom ?? Number.NaN) : Number.NaN);
  return Number.isNaN(said.getTime()) ? indexedText(node) : `${dayOf(said)} ${indexedText(node)}`;
}

/** Where a turn stands, as the indexed field `key` of its point: by it, what stands beside a turn is found in one read. */
export const placeKey = (conversation: string, position: number): string => idOf('place', conversation, position);

/** Who wrote a version, and where its vector points. `writtenBy` names the operation, so that an attempt repeated knows its own. */
export interface Written {
  readonly vector: readonly number[];
  readonly writtenBy: string;
}

/** A version of a node as a point. Edges and what is filtered by are fields of their own; absent stays absent, empty edges too. */
export function pointOf(node: GraphNode, { vector, writtenBy }: Written): Point {
  return {
    id: pointIdOf(node.id, node.version),
    space: node.space,
    vector,
    terms: countWords(countedText(node)),
    payload: defined({
      kind: node.kind,
      nodeId: node.id,
      version: node.version,
      recordedAt: node.recordedAt,
      retiredAt: node.retiredAt,
      validFrom: node.validFrom,
      validTo: node.validTo,
      text: node.text,
      metadata: node.metadata,
      writtenBy,
      ...edgeFields(node.edges),
      ...ownFields(node),
    }),
  };
}

function ownFields(node: GraphNode): Readonly<Record<string, unknown>> {
  switch (node.kind) {
    case 'semantic': {
      const { document, conversation, ...source } = node.source;
      const { form, hash, speaker, role, topic, status, unplaced, abstract, restatedAt } = node;
      const { position } = source;
      const isPlaced = form === 'turn' && conversation !== undefined && position !== undefined;
      const key = isPlaced ? placeKey(conversation, position) : undefined;
      const names = form === 'fact' ? entitiesOf(node.text) : [];
      const entities = names.length > 0 ? names : undefined;
      const told = { hash, speaker, role, topic, status, unplaced, abstract, restatedAt };
      return { form, document, conversation, source, ...told, key, entities };
    }
    case 'episodic': {
      const { taskId, outcome: status, instruction, trajectory, feedback, feedbackSource, repairs, steps, stepLinks } = node;
      const { replay, consolidation: form } = node;
      return { taskId, status, instruction, trajectory, feedback, feedbackSource, repairs, steps, stepLinks, replay, form };
    }
    case 'procedural':
      return { status: node.lifecycle, maturity: node.maturity, estimated: node.estimated };
  }
}

function edgeFields(edges: Edges): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(EDGE_FIELDS.flatMap((field) => (edges[field]?.length ? [[field, edges[field]]] : [])));
}

/** The node that a point holds. Fails with `validation`, naming point and field, where a payload is not one that `pointOf` makes. */
export function nodeOf(point: StoredPoint): GraphNode {
  const { payload } = point;
  const read = new Fields(point);
  const kind = read.text('kind') as NodeKind;
  if (!NODE_KINDS.includes(kind)) throw read.unreadable('kind');
  const base = {
    id: read.text('nodeId'),
    space: point.space,
    version: read.number('version'),
    text: read.text('text'),
    recordedAt: read.text('recordedAt'),
    ...read.present('retiredAt', 'validFrom', 'validTo', 'metadata'),
    edges: Object.fromEntries(EDGE_FIELDS.flatMap((field) => (field in payload ? [[field, read.list(field)]] : []))),
  };
  // What is not looked at here was written by `pointOf` from a typed node together with what is.
  switch (kind) {
    case 'semantic': {
      const source = { ...read.present('document', 'conversation'), ...(read.object('source') as JsonObject) };
      return { ...base, kind, form: read.text('form'), source, ...read.present(...OPTIONAL) } as GraphNode;
    }
    case 'episodic':
      return {
        ...base,
        kind,
        taskId: read.text('taskId'),
        instruction: read.text('instruction'),
        trajectory: read.list('trajectory'),
        outcome: read.text('status'),
        feedback: read.text('feedback'),
        feedbackSource: read.text('feedbackSource'),
        repairs: read.number('repairs'),
        steps: read.number('steps'),
        stepLinks: read.list('stepLinks'),
        ...read.present('replay'),
        ...(payload['form'] !== undefined && { consolidation: payload['form'] }),
      } as unknown as GraphNode;
    case 'procedural':
      return { ...base, kind, lifecycle: read.text('status'), ...read.present('maturity', 'estimated') } as GraphNode;
  }
}

/** Fields that a semantic node may have or not. */
const OPTIONAL = ['hash', 'speaker', 'role', 'topic', 'status', 'unplaced', 'abstract', 'restatedAt'] as const;

/** Reads a payload field by field, and says which one is not what it must be. */
class Fields {
  readonly #point: StoredPoint;

  constructor(point: StoredPoint) {
    this.#point = point;
  }

  text(field: string): string {
    return this.#check(field, (value): value is string => typeof value === 'string');
  }

  number(field: string): number {
    return this.#check(field, (value): value is number => typeof value === 'number');
  }

  list(field: string): readonly Json[] {
    return this.#check(field, (value): value is readonly Json[] => Array.isArray(value));
  }

  object(field: string): Json {
    return this.#check(
      field,
      (value): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
  }

  present(...fields: readonly string[]): JsonObject {
    const { payload } = this.#point;
    return Object.fromEntries(fields.flatMap((field) => (payload[field] === undefined ? [] : [[field, payload[field]]])));
  }

  unreadable(field: string): EngraphError {
    const { id, space } = this.#point;
    return new EngraphError(
      'validation',
      `point ${id} of space ${JSON.stringify(space)} is no node of ours: its field ${field} is not readable`,
      {
        details: { point: id, field },
      },
    );
  }

  #check<T extends Json>(field: string, is: (value: Json | undefined) => value is T): T {
    const value = this.#point.payload[field];
    if (!is(value)) throw this.unreadable(field);
    return value;
  }
}

/** `8 May 2023`: as people write and ask for it. */
const dayOf = (date: Date): string => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;

/** The same object without the fields that are undefined, which are not JSON. */
function defined(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
