import { EngraphError } from '../domain/failure.js';
import { wholeNumber } from './arguments.js';
import { EXIT } from './exit-codes.js';
import type { AddCommand } from './session.js';

/** `engraph codec-server`: shows encrypted payloads in Temporal's UI and CLI to whoever has the keys, on this machine only. */
export const addCodecServer: AddCommand = (program, act) => {
  program
    .command('codec-server')
    .description("decrypt for Temporal's UI and CLI, on 127.0.0.1 only, with the keys of ENGRAPH_PAYLOAD_KEYS; Ctrl-C ends it")
    .option('--port <n>', 'where to listen; 0 takes a free one', wholeNumber, 8234)
    .option('--ui <origin>', "the origin of the UI's page, the only one that may ask", 'http://127.0.0.1:8233')
    .action(
      act<{ port: number; ui: string }>(
        async ({ config, output }, { port, ui }) => {
          if (config.payloadKeys === undefined)
            throw new EngraphError('config', 'ENGRAPH_PAYLOAD_KEYS is not set: there is nothing to decrypt with');
          if (!URL.canParse(ui) || new URL(ui).origin !== ui)
            throw new EngraphError(
              'validation',
              `--ui is ${JSON.stringify(ui)}; it must be an origin such as http://127.0.0.1:8233, without a path`,
            );
          const [{ EncryptingCodec }, { serveCodec }] = await Promise.all([import('../codec.js'), import('../codec-server.js')]);
          const server = await serveCodec(new EncryptingCodec(config.payloadKeys), port, ui);
          const url = `http://127.0.0.1:${server.port}`;
          output.result({ ready: true, pid: process.pid, url, ui }, () => `decrypting for ${ui} at ${url}; Ctrl-C ends it`);
          const code = await new Promise<number>((resolve) => {
            process.once('SIGINT', () => resolve(EXIT.interrupted)).once('SIGTERM', () => resolve(EXIT.ok));
          });
          await server.close();
          return code;
        },
        { ownSignals: true },
      ),
    );
};
