import { unit } from '../src/domain/vector.js';
import { seeded } from './seeded-numbers.js';

/** What a stream says, and what is true of it: the same person, matter and value is the same statement in other words. */
export interface StreamFact {
  readonly text: string;
  readonly person: string;
  readonly matter: string;
  readonly value: string;
  /** ISO 8601, an hour after the fact before. */
  readonly at: string;
}

const PEOPLE =
  'Mira Tobin Ansel Greta Pavel Ines Ravi Lotte Omar Freya Kenji Paula Bruno Alma Idris Vera Hugo Nadia Felix Zora Emil Tessa Marek Yara Otto Leila Jonas Carla Viktor Amara'.split(
    ' ',
  );

/** Wordings of each matter, and its values. */
const MATTERS: Readonly<Record<string, { readonly ways: readonly string[]; readonly values: readonly string[] }>> = {
  home: {
    ways: ['{who} lives in {what}.', '{who} lives in {what} now.', "{who}'s home is in {what}."],
    values: ['Lisbon', 'Porto', 'Oslo', 'Kyoto', 'Turin', 'Prague', 'Dublin', 'Quito'],
  },
  job: {
    ways: ['{who} works as a {what}.', '{who} is a {what} by profession.', '{who} has a job as a {what}.'],
    values: ['nurse', 'baker', 'pilot', 'surveyor', 'teacher', 'welder', 'lawyer', 'gardener'],
  },
  pet: {
    ways: ['{who} has a {what}.', '{who} keeps a {what} at home.', '{who} has a {what} as a pet.'],
    values: ['ferret', 'parrot', 'tortoise', 'greyhound', 'rabbit', 'hedgehog', 'canary', 'gecko'],
  },
  instrument: {
    ways: ['{who} plays the {what}.', '{who} is learning to play the {what}.', '{who} practises the {what}.'],
    values: ['cello', 'trumpet', 'harp', 'oboe', 'banjo', 'accordion', 'flute', 'drums'],
  },
  food: {
    ways: ["{who}'s favourite dish is {what}.", '{who} likes {what} best.', '{who} loves to eat {what}.'],
    values: ['ramen', 'pierogi', 'paella', 'falafel', 'goulash', 'dumplings', 'risotto', 'moussaka'],
  },
  car: {
    ways: ['{who} drives a {what}.', '{who} owns a {what}.', '{who} drives a {what} to work.'],
    values: ['Volvo', 'Fiat', 'Skoda', 'Toyota', 'Mazda', 'Citroen', 'Seat', 'Opel'],
  },
};

/** Shares of what a stream is made of, once there is something to repeat or to change. */
export const MIX = { restated: 0.35, changed: 0.2 } as const;

/**
 * Facts as conversations bring them in time: about half new, some said again in the same or other words, some with another
 * value than before.
 */
export function factStream(count: number, seed = 11): StreamFact[] {
  const next = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const current = new Map<string, StreamFact>();
  const facts: StreamFact[] = [];
  const say = (person: string, matter: string, value: string): void => {
    const way = pick(MATTERS[matter]?.ways ?? []);
    const at = new Date(Date.UTC(2024, 0, 1) + facts.length * 3_600_000).toISOString();
    const fact = { text: way.replace('{who}', person).replace('{what}', value), person, matter, value, at };
    facts.push(fact);
    current.set(`${person} ${matter}`, fact);
  };
  while (facts.length < count) {
    const kind = next();
    const known = [...current.values()];
    if (known.length > 0 && kind < MIX.restated) {
      const { person, matter, value } = pick(known);
      say(person, matter, value);
    } else if (known.length > 0 && kind < MIX.restated + MIX.changed) {
      const { person, matter, value } = pick(known);
      say(person, matter, pick((MATTERS[matter]?.values ?? []).filter((other) => other !== value)));
    } else {
      const [person, matter] = [pick(PEOPLE), pick(Object.keys(MATTERS))];
      if (!current.has(`${person} ${matter}`)) say(person, matter, pick(MATTERS[matter]?.values ?? []));
      else if (known.length >= PEOPLE.length * Object.keys(MATTERS).length) break;
    }
  }
  return facts;
}

/** Two facts of one person, the second of which takes the place of the first, and where both lie. */
export interface Moved {
  readonly before: string;
  readonly after: string;
  readonly person: string;
  readonly vector: readonly number[];
}

/** As many pairs of an older and a newer fact, each of a person of its own and far from all others. */
export function movedPairs(count: number, dimension: number): Moved[] {
  const next = seeded(7);
  const syllables = 'ba ke li mo nu pra ste ri vo zu dra fle gri hok jan kul'.split(' ');
  const people = new Set<string>();
  while (people.size < count) {
    const name = Array.from({ length: 4 }, () => syllables[Math.floor(next() * syllables.length)]).join('');
    people.add(`${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  }
  const homes = MATTERS['home']?.values ?? [];
  return [...people].map((person, at) => ({
    person,
    before: `${person} lives in ${homes[at % homes.length]}`,
    after: `${person} lives in ${homes[(at + 1) % homes.length]}`,
    vector: unit(Array.from({ length: dimension }, () => next() - 0.5)),
  }));
}

/** Vectors in clusters of few dimensions, as embeddings lie. */
export function clusteredVectors(dimension: number, seed = 3): () => number[] {
  const next = seeded(seed);
  const centres = Array.from({ length: 400 }, () => unit(Array.from({ length: dimension }, () => next() - 0.5)));
  return () => {
    const centre = centres[Math.floor(next() * centres.length)] ?? [];
    return unit(centre.map((value) => value + 0.03 * (next() - 0.5)));
  };
}
