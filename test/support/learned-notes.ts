import type { EngraphClient } from '../../src/client.js';

/** A few notes about one thing, and some about others. */
export const NOTES = [
  'Tea. The user likes oolong tea best, and drinks it in the morning without milk.',
  'Coffee. Nobody in the house drinks coffee after noon, since it keeps them awake.',
  'Garden. The roses are watered twice a week from the rain barrel beside the shed.',
  'Trains. The last train to the coast leaves at ten past nine from platform four.',
  'Books. The library is open until six, and closed on the first Monday of a month.',
  'Bread. The rye dough rests over night in the cellar before it goes into the oven.',
].join('\n\n');

/** Learns the notes, each a chunk of its own. */
export async function learnNotes(client: EngraphClient, space: string): Promise<void> {
  await client.learn(space, { document: 'notes.md', title: 'notes', text: NOTES, chunkCharacters: 96 });
}
