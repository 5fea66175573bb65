import { setTimeout as wait } from 'node:timers/promises';

import type { OperatorService } from '@temporalio/client';

import { EngraphError } from '../domain/failure.js';

/** Search attributes that Engraph's workflows set (design.md 3.1), with the type each must have. */
export const SEARCH_ATTRIBUTES = { EngraphSpace: 'Keyword', EngraphOutcome: 'Keyword', EngraphRound: 'Int' } as const;
type Name = keyof typeof SEARCH_ATTRIBUTES;

/** temporal.api.enums.v1.IndexedValueType, by the names that people and the CLI use. */
const TYPE_NUMBERS = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;

/** gRPC's code for a thing that is there already. */
const ALREADY_EXISTS = 6;
/** A server tells what it registered after its next look at its own metadata: longest wait, and pause between looks, in milliseconds. */
const VISIBLE_WITHIN_MS = 30_000;
const LOOK_MS = 100;

/** What of a `Connection` or `NativeConnection` is needed here. */
export interface OperatorConnection {
  readonly operatorService: Pick<OperatorService, 'listSearchAttributes' | 'addSearchAttributes'>;
}

/**
 * The names of Engraph's search attributes that the namespace lacks. Fails with `config` where one is there with another
 * type, and passes on the server's own failure (no permission, no such namespace).
 */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.entries(SEARCH_ATTRIBUTES)
    .filter(([name, type]) => {
      const found = customAttributes[name];
      if (found === undefined || found === TYPE_NUMBERS[type]) return found === undefined;
      throw new EngraphError(
        'config',
        `namespace ${namespace} has a search attribute ${name} of type ${typeName(found)}, where Engraph needs ${type}: remove it, or use another namespace`,
        { details: { namespace, attribute: name } },
      );
    })
    .map(([name]) => name);
}

/** Registers those that are missing and returns their names once the server tells them; safe to run again, and at once with others. */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, TYPE_NUMBERS[SEARCH_ATTRIBUTES[name as Name]]]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if ((error as { code?: unknown }).code !== ALREADY_EXISTS) throw refused(namespace, missing, error);
  }
  for (const end = Date.now() + VISIBLE_WITHIN_MS; (await missingSearchAttributes(connection, namespace)).length > 0;) {
    if (Date.now() > end) throw refused(namespace, missing, new Error(`not visible after ${VISIBLE_WITHIN_MS} ms`));
    await wait(LOOK_MS);
  }
  return missing;
}

function refused(namespace: string, missing: readonly string[], cause: unknown): EngraphError {
  const wanted = missing.map((name) => `${name} (${SEARCH_ATTRIBUTES[name as Name]})`).join(', ');
  return new EngraphError(
    'config',
    `the Temporal server did not register ${wanted} in namespace ${namespace}: ` +
      `${cause instanceof Error ? cause.message : String(cause)}. Let someone who may do so register them`,
    { cause, details: { namespace, missing: [...missing] } },
  );
}

function typeName(number: number): string {
  return Object.entries(TYPE_NUMBERS).find(([, value]) => value === number)?.[0] ?? `number ${number}`;
}
