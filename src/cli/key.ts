import { freshPayloadKey } from '../setup/payload-keys.js';
import type { AddCommand } from './session.js';

/** `engraph key`: a fresh key for payload encryption. */
export const addKey: AddCommand = (program, act) => {
  program
    .command('key')
    .description('print a fresh key for ENGRAPH_PAYLOAD_KEYS, as id:base64; to rotate, put it before the keys that are there')
    .argument('[id]', "the key's name, which stands readably beside what it encrypts (default: today's date)")
    .action(
      act(({ output }, _options, given: string | undefined) => {
        const id = given ?? new Date().toISOString().slice(0, 10);
        const key = freshPayloadKey(id);
        output.result({ id, key }, () => key);
        return Promise.resolve();
      }),
    );
};
