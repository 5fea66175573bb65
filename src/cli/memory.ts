import type { EngraphClient } from '../client.js';
import type { OpenMemory } from '../compose.js';
import type { Session } from './session.js';

// Temporal's packages and the vendors' take seconds to load: a command line that is wrong, or only asks for help, doesn't wait.
const opening = async () => await import('./opening.js');

/** Works on the memory without Temporal; `search` needs the embedding model, `read` the store only. Fails with `not_found` where there is none. */
export async function withMemory<T>(
  session: Session,
  access: 'read' | 'search',
  work: (memory: OpenMemory) => Promise<T>,
): Promise<T> {
  const { openStore } = await opening();
  const memory = await openStore(session, access);
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

/** Works with a client of the running server; `write` makes the store where there is none. Fails with `temporal_unavailable` where no server runs. */
export async function withClient<T>(
  session: Session,
  access: 'read' | 'write',
  work: (client: EngraphClient) => Promise<T>,
): Promise<T> {
  const { openClient } = await opening();
  const { client, close } = await openClient(session, access);
  try {
    return await work(client);
  } finally {
    await close();
  }
}
