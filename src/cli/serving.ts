import { describeStore } from '../setup/describe-config.js';
import { ensureSearchAttributes } from '../setup/search-attributes.js';
import { serveHealth } from '../health.js';
import { connectClient, findTemporal, type TemporalPlace } from '../temporal.js';
import type { WorkerKind } from '../worker-kinds.js';
import { startWorker, type RunningWorker, type WorkerHealth } from '../worker.js';
import { runningTemporal } from './opening.js';
import { showProgress } from './progress.js';
import type { Session } from './session.js';
import { installRuntime, untilStopped } from './stopping.js';

/** Serves these kinds of work on the running server until asked to stop; tells on stdout when it is ready. */
export async function serve(session: Session, kinds: readonly WorkerKind[]): Promise<number> {
  const { config, output } = session;
  const place = await runningTemporal(config);
  installRuntime(output);
  let worker: RunningWorker | undefined;
  const health =
    config.healthPort === undefined ? undefined : await serveHealth(config.healthPort, () => worker?.health() ?? STARTING);
  try {
    worker = await startWorker(config, place, { kinds, onProgress: showProgress(output) });
    tellReady(session, place, worker, kinds);
    return await untilStopped(worker, output);
  } finally {
    await health?.close();
  }
}

/** A worker that fetches its models, or can't reach its store yet. */
const STARTING: WorkerHealth = { healthy: false, queues: {} };

function tellReady({ config, output }: Session, place: TemporalPlace, worker: RunningWorker, kinds: readonly WorkerKind[]): void {
  const { address } = place.connectionOptions;
  const queues = kinds.map((kind) => config.queues[kind]);
  output.result({ ready: true, pid: process.pid, address, namespace: place.namespace, queues, model: worker.model }, () =>
    [`serving ${queues.join(', ')} at ${address}, namespace ${place.namespace}`, `language model: ${worker.model}`].join('\n'),
  );
}

/** A server, started where none runs or is configured, and a worker for all kinds of work, until asked to stop. */
export async function develop({ config, output }: Session): Promise<number> {
  const onProgress = showProgress(output);
  const place = await findTemporal(config, { onProgress, onLine: (line) => output.note(line) });
  try {
    installRuntime(output);
    const worker = await startWorker(config, place, { onProgress });
    const { address } = place.connectionOptions;
    const ui = place.devServer?.uiUrl;
    const told = {
      ready: true,
      pid: process.pid,
      address,
      namespace: place.namespace,
      ...(ui !== undefined && { ui }),
      model: worker.model,
    };
    output.result({ ...told, home: config.home, store: describeStore(config) }, () =>
      [
        `Temporal:        ${address}, namespace ${place.namespace}`,
        ...(ui === undefined ? [] : [`Temporal UI:     ${ui}/namespaces/${place.namespace}/workflows`]),
        `memory:          ${describeStore(config)}`,
        `language model:  ${worker.model}`,
        'ready; Ctrl-C ends it',
      ].join('\n'),
    );
    return await untilStopped(worker, output);
  } finally {
    await place.devServer?.stop();
  }
}

/** Registers the search attributes that the namespace lacks; gives their names. */
export async function register({ config }: Session): Promise<{ namespace: string; registered: string[] }> {
  const place = await runningTemporal(config);
  const connection = await connectClient(place);
  try {
    return { namespace: place.namespace, registered: await ensureSearchAttributes(connection, place.namespace) };
  } finally {
    await connection.close();
  }
}
