import { describeConfig } from '../setup/describe-config.js';
import { EXIT } from './exit-codes.js';
import type { AddCommand } from './session.js';

/** One line of the doctor's report. */
export interface Check {
  readonly name: string;
  /** `later`: not there yet, and made or fetched by itself when it is needed. */
  readonly state: 'ok' | 'missing' | 'later';
  /** What was found; where it is missing, with the way out. No key. */
  readonly found: string;
}

/** `engraph doctor`: what is configured, what is reachable, and the way out where something is missing. */
export const addDoctor: AddCommand = (program, act) => {
  program
    .command('doctor')
    .description('tell what is configured and what is reachable; exit code 1 where something essential is missing')
    .action(
      act(async (session) => {
        const { config, output } = session;
        const { examine } = await import('./examining.js');
        const checks = await examine(config);
        const missing = checks.filter(({ state }) => state === 'missing');
        const settings = describeConfig(config);
        output.result({ ok: missing.length === 0, settings, checks }, () =>
          [
            ...columns(Object.entries(settings)),
            '',
            ...columns(checks.map(({ name, state, found }) => [`${SIGNS[state]} ${name}`, found])),
            '',
            missing.length === 0 ? 'all that is essential is there' : `missing: ${missing.map(({ name }) => name).join(', ')}`,
          ].join('\n'),
        );
        return missing.length === 0 ? EXIT.ok : EXIT.failed;
      }),
    );
};

const SIGNS = { ok: 'ok     ', missing: 'MISSING', later: 'later  ' } as const;

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
