/** `facts`: what is worth remembering in some turns of a conversation, topic by topic. */
export interface FactsInput {
  readonly sections: readonly FactsSection[];
}

/** One topic. Sections and turns are numbered from 1, the turns straight through all sections. */
export interface FactsSection {
  readonly n: number;
  readonly turns: readonly FactsTurn[];
}

/** One turn as it is shown: perhaps compressed, and without memory that was recalled into it. */
export interface FactsTurn {
  readonly n: number;
  readonly role: string;
  readonly speaker?: string;
  /** Event time, ISO 8601; absent where nobody knows. */
  readonly at?: string;
  readonly text: string;
}

/** The answer to `facts`. */
export interface FactsReply {
  readonly topics: readonly TopicReply[];
}

/** What the model makes of one section. */
export interface TopicReply {
  readonly section: number;
  readonly title: string;
  readonly summary: string;
  readonly facts: readonly FactReply[];
}

/** One statement that stands alone. */
export interface FactReply {
  /** Number of the turn that says it; null where the model can't tell. */
  readonly turn: number | null;
  readonly saidBy: 'user' | 'assistant';
  readonly text: string;
  /** The words that say when, or null. */
  readonly when: string | null;
}
