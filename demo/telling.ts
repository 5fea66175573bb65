/** Width of a label, in characters. */
const LABEL = 12;

/** Where the demo talks: a person reads along on one stream, and a program gets one object at the end. */
export class Teller {
  readonly #stream: NodeJS.WritableStream & { isTTY?: boolean };
  #told = -1;

  constructor(stream: NodeJS.WritableStream & { isTTY?: boolean }) {
    this.#stream = stream;
  }

  line(text = ''): void {
    this.#stream.write(`${text}\n`);
  }

  /** A line with a label in front, so that a reader finds what it is about. */
  point(label: string, text: string): void {
    this.line(`${label.padEnd(LABEL)} ${text}`);
  }

  /** Progress of counted work: one line that is rewritten on a terminal, a line each quarter elsewhere. */
  progress(label: string, done: number, total: number, noun: string): void {
    if (this.#stream.isTTY === true) {
      const width = 24;
      const full = Math.round((done / total) * width);
      this.#stream.write(
        `\r${label.padEnd(LABEL)} ${'█'.repeat(full)}${'░'.repeat(width - full)} ${done}/${total} ${noun}${done === total ? '\r\u001b[K' : ''}`,
      );
      return;
    }
    const quarter = Math.floor((done / total) * 4);
    if (quarter === this.#told) return;
    this.#told = quarter;
    this.point(label, `${done}/${total} ${noun}`);
  }
}

/** Rows under a heading, each column as wide as its widest cell; numbers to the right. */
export function table(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const all = [heading, ...rows].map((row) => row.map(String));
  const widths = heading.map((_, at) => Math.max(...all.map((row) => [...(row[at] ?? '')].length)));
  const lines = all.map((row, line) =>
    row
      .map((cell, at) =>
        line > 0 && typeof rows[line - 1]?.[at] === 'number' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [lines[0] ?? '', widths.map((width) => '─'.repeat(width)).join('  '), ...lines.slice(1)];
}

/** A text that fits one line of so many characters. */
export function short(text: string, most: number): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  const characters = [...flat];
  return characters.length <= most ? flat : `${characters.slice(0, most - 1).join('')}…`;
}
