import { z } from 'zod';

/**
 * A number that was shown in the prompt. Models without a grammar write "3", "[3]" or "#3" for it, which is the same number and
 * no guess; anything else is not a number.
 */
export const shownNumber = z.preprocess((value) => {
  const digits = typeof value === 'string' ? /^\s*[[#]?(\d{1,9})\]?\s*$/u.exec(value)?.[1] : undefined;
  return digits === undefined ? value : Number(digits);
}, z.int().nonnegative());

/** Keywords that some servers' strict mode refuses; the parser still holds replies to them. */
const NOT_STRICT = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength'] as const;

/** The JSON Schema of a reply as strict modes want it: every property required, none added, in the order in which they are to be written. */
export function replySchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'output',
    override: ({ jsonSchema }) => {
      for (const keyword of NOT_STRICT) delete jsonSchema[keyword];
    },
  });
  return plain;
}
