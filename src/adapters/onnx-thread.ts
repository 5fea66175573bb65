import { parentPort, workerData } from 'node:worker_threads';

import { RunGate } from './onnx-gate.js';
import { OnnxSession, type Attention, type Head, type StillWanted } from './onnx-session.js';

/** What the thread is started with. */
export interface ThreadData {
  readonly modelDir: string;
  readonly threads: number;
  /** Of the `RunGate` that every native call passes. */
  readonly gate: SharedArrayBuffer;
}

/** What the model can be asked: vectors of texts, word pieces of words, attention or the first output of rows of pieces. */
export type Question =
  | { readonly texts: readonly string[] }
  | { readonly words: readonly string[] }
  | { readonly rows: readonly (readonly number[])[]; readonly heads: readonly Head[] }
  | { readonly outputsOf: readonly (readonly number[])[] };

export type ToThread = ({ readonly id: number } & Question) | { readonly id: number; readonly abort: true };

/** `means` holds one mean of token vectors a text, one after the other, not yet of unit length. */
export type Answer =
  | { readonly means: Float32Array }
  | { readonly pieces: readonly (readonly number[])[] }
  | { readonly attention: readonly Attention[] }
  | { readonly outputs: readonly Float32Array[] };

export type FromThread =
  | { readonly ready: { readonly hash: string; readonly dimension: number } }
  | { readonly unusable: string }
  | ({ readonly id: number } & Answer)
  | { readonly id: number; readonly failed: string };

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function answer(session: OnnxSession, question: Question, stillWanted: StillWanted): Promise<Answer | undefined> {
  if ('words' in question) return { pieces: session.pieces(question.words) };
  if ('texts' in question) {
    const means = await session.means(question.texts, stillWanted);
    return means && { means };
  }
  if ('outputsOf' in question) {
    const outputs = await session.outputs(question.outputsOf, stillWanted);
    return outputs && { outputs };
  }
  const attention = await session.attend(question.rows, question.heads, stillWanted);
  return attention && { attention };
}

/** What is handed over instead of being copied. */
function buffersOf(given: Answer): ArrayBuffer[] {
  if ('means' in given) return [given.means.buffer as ArrayBuffer];
  if ('pieces' in given) return [];
  if ('outputs' in given) return given.outputs.map(({ buffer }) => buffer as ArrayBuffer);
  return given.attention.flatMap(({ received, maps }) => [received.buffer as ArrayBuffer, maps.buffer as ArrayBuffer]);
}

/** Answers requests until the process ends. Runs of several requests take turns. */
async function serve(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('onnx-thread runs as a worker thread of src/adapters/onnx-model.ts only');
  const post = (said: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(said, transfer);
  const wanted = new Set<number>();
  let session: OnnxSession;
  try {
    const { modelDir, threads, gate } = workerData as ThreadData;
    session = await OnnxSession.load(modelDir, threads, new RunGate(gate));
    post({ ready: { hash: session.hash, dimension: session.dimension } });
  } catch (error) {
    post({ unusable: message(error) });
    return;
  }
  port.on('message', (request: ToThread) => {
    if ('abort' in request) {
      wanted.delete(request.id);
      return;
    }
    const { id } = request;
    wanted.add(id);
    answer(session, request, () => wanted.has(id)).then(
      (given) => {
        if (given !== undefined) post({ id, ...given }, buffersOf(given));
        wanted.delete(id);
      },
      (error: unknown) => {
        post({ id, failed: message(error) });
        wanted.delete(id);
      },
    );
  });
}

await serve();
