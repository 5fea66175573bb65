import { EngraphError } from '../domain/failure.js';
import { EXIT } from './exit-codes.js';
import type { AddCommand } from './session.js';

/** `engraph health`: whether the worker on this machine serves its queues. Made for a container's health check: loads next to nothing. */
export const addHealth: AddCommand = (program, act) => {
  program
    .command('health')
    .description('ask the worker at ENGRAPH_HEALTH_PORT whether it serves its queues; exit code 1 where it does not')
    .action(
      act(async ({ config, output }) => {
        if (config.healthPort === undefined)
          throw new EngraphError('config', 'ENGRAPH_HEALTH_PORT is not set: set it for the worker and for this command alike');
        const { askHealth } = await import('../health.js');
        const health = await askHealth(config.healthPort);
        output.result(health, () =>
          Object.entries(health.queues)
            .map(([queue, state]) => `${queue}: ${state}`)
            .join('\n'),
        );
        return health.healthy ? EXIT.ok : EXIT.failed;
      }),
    );
};
