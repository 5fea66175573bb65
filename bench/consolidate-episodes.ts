import type { Act } from '../src/domain/graph.js';
import { seeded } from './seeded-numbers.js';

/** An episode before it is recorded. */
export interface MadeEpisode {
  readonly kind: string;
  readonly instruction: string;
  readonly trajectory: readonly Act[];
}

interface Kind {
  readonly name: string;
  readonly instruction: string;
  readonly things: readonly string[];
  readonly acts: readonly string[];
}

/** Kinds of tasks; `{}` is a thing that differs from task to task. */
const KINDS: readonly Kind[] = [
  {
    name: 'tea',
    instruction: 'Brew a pot of {} for the guests',
    things: ['green tea', 'black tea', 'mint tea', 'oolong', 'rooibos', 'white tea'],
    acts: ['boil water', 'warm the pot', 'measure {}', 'pour the water', 'wait four minutes', 'serve {}'],
  },
  {
    name: 'train',
    instruction: 'Book a train from {} to the coast',
    things: ['Berlin', 'Vienna', 'Prague', 'Munich', 'Basel', 'Lyon'],
    acts: ['search trains from {}', 'choose the fastest', 'reserve a seat', 'pay by card', 'send the ticket for {}'],
  },
  {
    name: 'invoice',
    instruction: 'Reconcile the invoice of {} with the ledger',
    things: ['Miller Ltd', 'Acme', 'Nordwind', 'Lotus Foods', 'Baker and Son', 'Orion'],
    acts: ['open the ledger', 'find the account of {}', 'compare the amounts', 'mark {} as paid', 'close the ledger'],
  },
  {
    name: 'deploy',
    instruction: 'Deploy the {} service to production',
    things: ['billing', 'search', 'mail', 'login', 'catalogue', 'export'],
    acts: ['run the tests of {}', 'build the image', 'push {}', 'roll out one by one', 'watch the errors'],
  },
  {
    name: 'garden',
    instruction: 'Plant {} in the garden before the frost',
    things: ['tulips', 'garlic', 'crocuses', 'daffodils', 'onions', 'lilies'],
    acts: ['dig a trench', 'loosen the soil', 'set {} in rows', 'cover {} with earth', 'water the bed'],
  },
  {
    name: 'bicycle',
    instruction: 'Repair the {} of the bicycle',
    things: ['chain', 'brake', 'saddle', 'rear wheel', 'gear cable', 'bell'],
    acts: ['put the bicycle on the stand', 'take off the {}', 'clean it with oil', 'fit the {} again', 'ride a test lap'],
  },
  {
    name: 'letter',
    instruction: 'Translate the letter of {} into Danish',
    things: ['the mayor', 'Anna', 'the bank', 'the school', 'uncle Otto', 'the museum'],
    acts: ['read the letter of {}', 'look up the hard words', 'write a draft', 'check the grammar', 'send the translation to {}'],
  },
  {
    name: 'patient',
    instruction: 'Admit the patient {} to the ward',
    things: ['Mrs Lind', 'Mr Okoye', 'Mr Tanaka', 'Mrs Roth', 'Mr Silva', 'Mrs Khan'],
    acts: ['check the name of {}', 'take the blood pressure', 'ask for allergies', 'assign a bed to {}', 'call the doctor'],
  },
];

/** So many episodes of eight kinds, in no order, always the same. */
export function madeEpisodes(count: number): MadeEpisode[] {
  const next = seeded(7);
  return Array.from({ length: count }, (_, at) => {
    const kind = KINDS[Math.floor(next() * KINDS.length)] as Kind;
    const thing = kind.things[Math.floor(next() * kind.things.length)] ?? '';
    const fill = (text: string): string => text.replaceAll('{}', thing);
    const trajectory = kind.acts.map((act, step) => ({
      observation: step === 0 ? `Order ${at}: ${thing}` : '',
      action: fill(act),
    }));
    return { kind: kind.name, instruction: fill(kind.instruction), trajectory };
  });
}
