const BUSY = 0;
const CLOSED = 1;

/**
 * Keeps a process from ending in the middle of a native call of its model thread: ONNX Runtime then aborts the process (seen
 * with 1.30: exit code 134 in place of the program's own). Both sides hold a gate over the same memory.
 */
export class RunGate {
  readonly memory: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#state = new Int32Array(memory);
  }

  /** The thread's side: does the work unless the gate is closed; then it never returns, since the process is ending. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    Atomics.add(this.#state, BUSY, 1); // before the look at CLOSED, so that one of the two sides always sees the other
    const closed = Atomics.load(this.#state, CLOSED) === 1;
    try {
      if (!closed) return await work();
    } finally {
      Atomics.sub(this.#state, BUSY, 1);
      Atomics.notify(this.#state, BUSY);
    }
    return await new Promise<never>(() => {});
  }

  /** The process's side, in its `exit` handler: lets no call begin and blocks until those begun are over, at most `withinMs`. */
  close(withinMs: number): void {
    Atomics.store(this.#state, CLOSED, 1);
    const deadline = performance.now() + withinMs;
    for (;;) {
      const busy = Atomics.load(this.#state, BUSY);
      const left = deadline - performance.now();
      if (busy === 0 || left <= 0) return;
      Atomics.wait(this.#state, BUSY, busy, left);
    }
  }
}
