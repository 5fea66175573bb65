import { serveLoopback, type LoopbackServer } from './loopback-server.js';
import { EngraphError } from './domain/failure.js';
import type { WorkerHealth } from './worker.js';

/** Serves `GET /health` on 127.0.0.1: 200 while the worker serves all its queues, else 503, either way with each queue's state. */
export async function serveHealth(port: number, look: () => WorkerHealth): Promise<LoopbackServer> {
  return await serveLoopback(port, 'ENGRAPH_HEALTH_PORT', ({ method, url }) => {
    if (method !== 'GET' || url !== '/health') return { status: 404, body: { error: 'there is only GET /health' } };
    const health = look();
    return { status: health.healthy ? 200 : 503, body: health };
  });
}

/** Longest wait for the answer, in milliseconds: a worker that takes longer is too busy to be called well. */
const PATIENCE_MS = 5_000;

/** Asks the worker that serves its health at this port. Fails with `not_found` where none answers. */
export async function askHealth(port: number): Promise<WorkerHealth> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return (await answer.json()) as WorkerHealth;
  } catch (cause) {
    throw new EngraphError(
      'not_found',
      `no worker tells its health at 127.0.0.1:${port}: it has ended, or ENGRAPH_HEALTH_PORT is another there`,
      {
        cause,
      },
    );
  }
}
