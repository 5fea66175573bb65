/** A paragraph, a heading or a fenced block of a text: where it is, without blanks at its ends. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly heading: boolean;
}

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/u;
const UNDERLINE = /^ {0,3}(?:={3,}|-{3,})[ \t]*$/u;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/u;

/**
 * The blocks of Markdown or plain text in their order: blank lines part paragraphs, a heading (`# …`, or a line underlined by
 * `===` or `---`) is a block of its own, a fenced block is one whatever is in it. All that is not blank is in exactly one block.
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Line[] = [];
  let fence: string | undefined;
  const close = (heading = false): void => {
    const [first, last] = [open[0], open.at(-1)];
    if (first && last) blocks.push({ start: first.start, end: last.end, heading });
    open = [];
  };
  for (const line of linesOf(text)) {
    const mark = FENCE.exec(line.text)?.[0].trim();
    if (fence !== undefined) {
      if (!line.blank) open.push(line);
      if (mark?.startsWith(fence)) {
        fence = undefined;
        close();
      }
    } else if (line.blank) close();
    else if (mark !== undefined) {
      close();
      open.push(line);
      fence = mark;
    } else if (HEADING.test(line.text)) {
      close();
      open.push(line);
      close(true);
    } else if (open.length === 1 && UNDERLINE.test(line.text)) {
      open.push(line);
      close(true);
    } else open.push(line);
  }
  close();
  return blocks;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly blank: boolean;
}

function* linesOf(text: string): Generator<Line> {
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+|\r\n|\r|\n/gu)) {
    if (/^[\r\n]/u.test(line)) {
      // A line's own end; a second one in a row is a blank line.
      const next = index + line.length;
      if (next >= text.length || /[\r\n]/u.test(text[next] as string)) yield { text: '', start: next, end: next, blank: true };
      continue;
    }
    const length = line.trim().length;
    const start = index + (line.length - line.trimStart().length);
    yield { text: line, start, end: start + length, blank: length === 0 };
  }
}
