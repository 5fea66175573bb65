import { factTime, timeWords } from '../src/domain/fact-time.js';
import type { SemanticNode } from '../src/domain/graph.js';
import type { FactReply, FactsReply, TopicReply } from '../src/prompts/inputs-facts.js';
import type { ExtractedFact, ExtractedSummary, Extraction } from '../src/store/facts.js';

/** A section as it was shown: each turn under its number. */
export interface ShownSection {
  readonly n: number;
  readonly topicId: string;
  readonly turns: readonly ShownTurn[];
}

/** A turn and the number that it was shown under. */
export interface ShownTurn {
  readonly n: number;
  readonly node: SemanticNode;
}

/** What is accepted of a reply, before it is known what of it only repeats. */
export type Accepted = Pick<Extraction, 'facts' | 'summaries' | 'refused'>;

/**
 * A model's reply held against what it was shown (design.md section 7, promise 2). Who said a fact, and when, is what its turn
 * says, whatever the model calls it. A number never shown is refused and told, and its fact kept with the turns of its whole
 * section as sources, as is one whose turn the model couldn't tell; where the section is unknown too, with all turns shown.
 * Words for a time that its sources don't have are refused and told likewise (small models copy them from examples): then the
 * fact's own words count. A question is refused, being no fact. A section named again adds facts, but its second summary is
 * refused. The same text twice is one fact, from all its turns.
 */
export function acceptFacts({ topics }: FactsReply, sections: readonly ShownSection[]): Accepted {
  const refused = new Set<string>();
  const facts = new Map<string, ExtractedFact>();
  const summaries = new Map<string, ExtractedSummary>();
  for (const topic of topics) {
    const section = sections.find(({ n }) => n === topic.section);
    if (section === undefined) refused.add(`section ${topic.section}`);
    else if (summaries.has(section.topicId)) refused.add(`section ${topic.section} again`);
    else summaryOf(topic, section).forEach((summary) => summaries.set(section.topicId, summary));
    for (const fact of topic.facts) {
      const text = fact.text.toWellFormed().trim();
      if (text === '') continue;
      if (/\?["'”’)\s]*$/u.test(text)) {
        refused.add(`question of turn ${fact.turn ?? 'unknown'}`);
        continue;
      }
      const placed = fact.turn === null ? undefined : placeOf(fact.turn, sections);
      if (fact.turn !== null && placed === undefined) refused.add(`turn ${fact.turn}`);
      const shown = section ? [section] : sections;
      const sources = placed ? [placed.node] : nodesOf(shown);
      const when = wordsIn(sources, fact.when);
      if ((fact.when ?? '').trim() !== '' && when === null) refused.add(`time of turn ${fact.turn ?? 'unknown'}`);
      const told = { ...fact, when: when ?? wordsIn(sources, timeWords(text) ?? null) };
      const accepted = placed ? placedFact(text, told, placed) : unplacedFact(text, told, shown);
      const same = facts.get(plain(text));
      facts.set(plain(text), same ? { ...same, turns: [...new Set([...same.turns, ...accepted.turns])] } : accepted);
    }
  }
  return { facts: [...facts.values()], summaries: [...summaries.values()], refused: [...refused] };
}

const nodesOf = (sections: readonly ShownSection[]): SemanticNode[] =>
  sections.flatMap(({ turns }) => turns.map(({ node }) => node));

/** These words if each of them stands in one of the turns (what the model read may have been shortened between them), else null. */
function wordsIn(nodes: readonly SemanticNode[], words: string | null): string | null {
  const parts = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const wanted = parts(words ?? '');
  return wanted.length > 0 && nodes.some(({ text }) => wanted.every((word) => parts(text).includes(word))) ? words : null;
}

/** What two texts are compared by: neither case nor blanks nor the end of the sentence tell them apart. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/[.!]+$/u, '');

function summaryOf({ title, summary }: TopicReply, { topicId, turns }: ShownSection): ExtractedSummary[] {
  const text = summary.toWellFormed().trim();
  const [first] = turns;
  if (text === '' || first === undefined) return [];
  const told = { title: title.toWellFormed().trim(), text, turns: turns.map(({ node }) => node.id) };
  return [{ topicId, ...told, ...(first.node.validFrom !== undefined && { validFrom: first.node.validFrom }) }];
}

function placeOf(number: number, sections: readonly ShownSection[]): { section: ShownSection; node: SemanticNode } | undefined {
  for (const section of sections) {
    const turn = section.turns.find(({ n }) => n === number);
    if (turn) return { section, node: turn.node };
  }
  return undefined;
}

function placedFact(
  text: string,
  { when }: FactReply,
  { section, node }: { section: ShownSection; node: SemanticNode },
): ExtractedFact {
  const { id, speaker, role, metadata, validFrom: said, source } = node;
  const validFrom = (when === null ? undefined : factTime(when, said)) ?? said;
  return {
    ...{ text, turns: [id], topicId: section.topicId, unplaced: false },
    ...(source.position !== undefined && { position: source.position }),
    ...(speaker !== undefined && { speaker }),
    ...(role !== undefined && { role }),
    ...(validFrom !== undefined && { validFrom }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Of such a fact only what all turns agree on is known: the speaker where there is one alone, and no day to count "yesterday" from. */
function unplacedFact(text: string, { saidBy, when }: FactReply, sections: readonly ShownSection[]): ExtractedFact {
  const nodes = nodesOf(sections);
  const theirs = nodes.filter(({ role }) => (role === 'user') === (saidBy === 'user'));
  const speakers = [...new Set(theirs.map(({ speaker }) => speaker))];
  const [speaker] = speakers.length === 1 ? speakers : [];
  const [first] = nodes;
  const validFrom = (when === null ? undefined : factTime(when)) ?? first?.validFrom;
  return {
    ...{ text, turns: nodes.map(({ id }) => id), topicId: sections[0]?.topicId ?? '', unplaced: true, role: saidBy },
    ...(first?.source.position !== undefined && { position: first.source.position }),
    ...(speaker !== undefined && { speaker }),
    ...(validFrom !== undefined && { validFrom }),
  };
}
