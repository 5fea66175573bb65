/** What a worker can serve; each is a task queue, so that they can run in processes of their own. */
export const WORKER_KINDS = ['workflow', 'store', 'text', 'model'] as const;
export type WorkerKind = (typeof WORKER_KINDS)[number];
