import { EngraphError } from '../domain/failure.js';
import type { SemanticNode } from '../domain/graph.js';
import type { NetChange } from '../domain/reconciliation.js';
import type { NodeState, NodeStates } from './node-state.js';
import type { NodeStore } from './nodes.js';

/** Where a node stands to a change of it: not begun, done by the operation of this token, or somebody else's by now. */
export type Standing = 'planned' | 'done' | 'changed';

export const nodeIdOf = (change: NetChange): string => (change.act === 'insert' ? change.after.id : change.before.id);

/** How a change stands, from the newest version of its node. */
export function standingOf(change: NetChange, state: NodeState | undefined, token: string): Standing {
  switch (change.act) {
    case 'insert':
      if (state?.writtenBy === token) return state.isRetired ? 'changed' : 'done';
      return state === undefined || state.isRetired ? 'planned' : 'changed';
    case 'revise':
      if (state?.version === change.before.version + 1 && state.writtenBy === token) return state.isRetired ? 'changed' : 'done';
      return isAsPlanned(change.before, state) ? 'planned' : 'changed';
    case 'retire':
      if (state?.version === change.before.version && state.retiredBy === token) return 'done';
      return isAsPlanned(change.before, state) ? 'planned' : 'changed';
  }
}

/** Whether the version that was planned with is still the newest, and current. */
export const isAsPlanned = ({ version }: { readonly version: number }, state: NodeState | undefined): boolean =>
  state?.version === version && !state.isRetired;

/** What taking changes back writes with. */
export interface TakingBack {
  readonly nodes: NodeStore;
  readonly states: NodeStates;
  readonly space: string;
  readonly at: string;
}

/** A change that was made, and what its node was before the first of several. */
export interface Made {
  readonly change: NetChange;
  /** Absent where the node was not there. */
  readonly image?: SemanticNode;
  /** The operation that made it. */
  readonly madeBy: string;
  /** Names the taking back. */
  readonly token: string;
}

/** Whether a change was made and is not yet taken back to the end. */
export const isToTakeBack = ({ change, madeBy, token }: Made, state: NodeState | undefined): boolean =>
  standingOf(change, state, madeBy) === 'done' || state?.writtenBy === token;

/**
 * Brings a node back to its image, as a new version; one that was not there before is retired. What yielded is brought back
 * while its heir still hides it, so `orderedBack` goes before. Returns false where somebody changed the node in that very
 * moment: it keeps that change.
 */
export async function takeBack(
  { nodes, states, space, at }: TakingBack,
  { change, image, madeBy, token }: Made,
): Promise<boolean> {
  const as = { recordedAt: at, token };
  try {
    if (image === undefined) {
      if (change.act !== 'retire') await states.end(space, nodeIdOf(change), { at, token });
    } else if (change.act === 'retire') {
      const { space: _space, version: _version, recordedAt: _recordedAt, retiredAt: _retiredAt, ...node } = image;
      await nodes.insert(space, [node], as);
    } else if (change.act === 'revise') {
      // A crash may have left the version before current too: it would be seen beside the one that comes back.
      const { before, after } = change;
      await nodes.replace(space, { ...after, version: before.version }, { recordedAt: at, token: madeBy });
      await nodes.replace(space, { ...image, version: before.version + 1 }, as);
    }
    return true;
  } catch (error) {
    if (error instanceof EngraphError && error.kind === 'version_conflict' && !error.retryable) return false;
    throw error;
  }
}

const BACK: readonly NetChange['act'][] = ['retire', 'revise', 'insert'];

/** What yielded first, then what was revised, then what was inserted: so no statement is missing at any point in between. */
export const orderedBack = <T extends { readonly change: NetChange }>(made: readonly T[]): T[] =>
  [...made].sort((a, b) => BACK.indexOf(a.change.act) - BACK.indexOf(b.change.act));
