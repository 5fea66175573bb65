/** How far below its heading an entry stands that a chunk of 512 characters may tear off, in characters. */
const FAR_BELOW = 200;

/**
 * Entries of a change log's newest release that stand far below its heading and are told apart from those of all other
 * releases by their words, as a person would quote them.
 */
export function deepChanges(log: string, version: string): string[] {
  const lines = log.split('\n');
  const start = lines.findIndex((line) => isReleaseLine(line));
  if (start < 0 || !new RegExp(`(?<![\\d.])${version.replaceAll('.', '\\.')}(?![\\d.])`, 'u').test(lines[start] ?? '')) return [];
  const end = lines.findIndex((line, at) => at > start && isReleaseLine(line));
  const section = lines.slice(start + 1, end < 0 ? lines.length : end);
  const rest = spoken(lines.slice(end < 0 ? lines.length : end).join('\n'));
  return section
    .filter((line, at) => /^\s*[-*]\s+\S/u.test(line) && section.slice(0, at).join('\n').length >= FAR_BELOW)
    .map(spoken)
    .filter((change) => {
      const words = change.split(' ').length;
      return words >= 3 && words <= 14 && !UNQUOTABLE.test(change) && !rest.includes(change);
    });
}

/** What would make a question hard to read, or name the answer; and the lists of updates that most releases have. */
const UNQUOTABLE = /\d+\.\d+|https?:|["@?[\]()]|\bcloses\b|^(?:update|bump)\b|[^\x20-\x7e]/iu;

const isReleaseLine = (line: string): boolean => /^(?:#{1,4}\s+)?(?:\[|\*\*)?(?:version\s+)?v?\d+\.\d+\.\d+/iu.test(line);

/** An entry without its markup, tags, links and commit names. */
function spoken(text: string): string {
  return text
    .replace(/\[`[\da-f]{7,}`\]\([^)]*\)/gu, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/\(?#\d+\)?|\([\da-f]{7,}\)/gu, '')
    .replace(/^\s*[-*]\s+/gmu, '')
    .replace(/^(?:\[[^\]]*\]|\*\*[^*]*\*\*:?)\s*/gmu, '')
    .replace(/[`*]/gu, '')
    .replace(/[ \t]+/gu, ' ')
    .trim();
}
