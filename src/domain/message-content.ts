/**
 * A message's content as text: text as it is, parts one a line, what is no text named as such (`[image]`), nothing where there
 * is none. Undefined for what is no content: a number, an object that is no part. Never `null`, `undefined` or
 * `[object Object]`.
 */
export function textOfContent(content: unknown): string | undefined {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : isPart(content) ? [content] : undefined;
  return parts
    ?.map(textOfPart)
    .filter((text) => text !== '')
    .join('\n');
}

/** The calls of tools in a message, one a line: `[calls book({"at":"18:40"})]`. `names` learns which call has which tool's name. */
export function textOfCalls(calls: unknown, names: Map<string, string>): string {
  const list: readonly unknown[] = Array.isArray(calls) ? calls : isRecord(calls) ? [calls] : [];
  return list
    .filter(isRecord)
    .map((call) => {
      const inner = isRecord(call['function']) ? call['function'] : call;
      const name = textIn(inner, 'name') ?? textIn(call, 'type') ?? 'a tool';
      if (typeof call['id'] === 'string') names.set(call['id'], name);
      return called(name, inner['arguments'] ?? inner['args'] ?? inner['input']);
    })
    .join('\n');
}

/** One part: OpenAI's (chat and responses), Anthropic's, or a bare string. */
function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return '';
  const type = textIn(part, 'type') ?? textIn(part, 'content_type') ?? '';
  const text = textIn(part, 'text') ?? textIn(part, 'refusal');
  if (text !== undefined) return text;
  if (type === 'tool_use') return called(textIn(part, 'name') ?? 'a tool', part['input']);
  if (type === 'tool_result') return textOfContent(part['content']) ?? '';
  const about =
    textIn(part, 'caption') ?? textIn(part, 'alt') ?? textIn(part, 'filename') ?? textIn(part, 'name') ?? addressOf(part);
  const kind = KINDS.find(({ shape }) => shape.test(type))?.kind ?? (type === '' ? 'attachment' : type.replaceAll('_', ' '));
  return about === undefined ? `[${kind}]` : `[${kind}: ${about}]`;
}

const KINDS = [
  { kind: 'image', shape: /image/u },
  { kind: 'audio', shape: /audio/u },
  { kind: 'video', shape: /video/u },
  { kind: 'file', shape: /file|document/u },
] as const;

/** Where the part lies, if that is an address and not the thing itself in base64. */
function addressOf(part: Readonly<Record<string, unknown>>): string | undefined {
  const image = part['image_url'];
  const url = typeof image === 'string' ? image : isRecord(image) ? textIn(image, 'url') : textIn(part, 'url');
  return url !== undefined && /^https?:/u.test(url) && url.length <= 256 ? url : undefined;
}

function called(name: string, given: unknown): string {
  const text = given === undefined || given === null ? '' : typeof given === 'string' ? given : JSON.stringify(given);
  return `[calls ${name}(${text})]`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPart = (value: unknown): boolean =>
  isRecord(value) && ['type', 'text', 'content_type'].some((name) => typeof value[name] === 'string');

function textIn(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
