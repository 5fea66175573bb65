/** Where a failure's cause lies, as an attribution names it (design.md 3.1). The last three lie outside memory. */
export const FAULTS = ['missing_knowledge', 'noise', 'granularity', 'tool', 'environment', 'not_memory'] as const;
export type Fault = (typeof FAULTS)[number];

export const EDIT_KINDS = ['expand', 'prune', 'reshape', 'bypass'] as const;
export type EditKind = (typeof EDIT_KINDS)[number];

/** One edit of a step's subgraph. Nodes are named by the small numbers of their step links. */
export type Edit =
  | { readonly edit: 'expand' }
  | { readonly edit: 'prune'; readonly nodes: readonly number[] }
  | { readonly edit: 'reshape'; readonly node: number; readonly direction: 'finer' | 'coarser' }
  | { readonly edit: 'bypass' };

/** What an attribution decided. */
export interface Attribution {
  readonly fault: Fault;
  readonly edits: readonly Edit[];
  /** Numbers the model named that it was never shown: refused and reported (design.md section 7, promise 2). */
  readonly refused: readonly number[];
  /** False where the reply could not be read even after one repair request: the round goes on with an `unattributed` expand. */
  readonly attributed: boolean;
}

/** Whether the fault lies outside memory, so that memory must not be edited. */
export const isOutsideMemory = (fault: Fault): boolean => fault === 'tool' || fault === 'environment' || fault === 'not_memory';
