import { escapeMarkup } from '../domain/context.js';
import type { SkillTold } from './telling-skills.js';

const [WIDTH, HEIGHT] = [720, 360];
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 24, 40, 44];
/** Okabe and Ito's colours, which people of every colour vision tell apart. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'] as const;
/** Lines in one picture; more can't be told apart. */
const MOST_LINES = 7;

/** PEMS by round as an SVG picture: a line a skill, the most mature first; a ring is a rewrite, a cross one that was refused. */
export function plotSkills(skills: readonly SkillTold[]): string {
  const shown = skills
    .filter(({ rounds }) => rounds.length > 0)
    .sort((a, b) => (b.maturity ?? 0) - (a.maturity ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_LINES);
  const most = Math.max(...shown.flatMap(({ rounds }) => rounds.map(({ pems }) => pems)), 1e-9);
  const longest = Math.max(...shown.map(({ rounds }) => rounds.length), 2);
  const x = (at: number): number => LEFT + (at / (longest - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT + 20 * shown.length}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="${LEFT}" y="20" font-size="15">PEMS by round</text>`,
    ...[0, 0.25, 0.5, 0.75, 1].map((share) => gridLine(y(share * most), share * most)),
    ...Array.from({ length: longest }, (_, at) => `<text x="${x(at)}" y="${HEIGHT - 22}" text-anchor="middle">${at + 1}</text>`),
    ...shown.map((skill, at) => line(skill, COLOURS[at % COLOURS.length] ?? 'black', x, y)),
    ...shown.map((skill, at) => legend(skill, COLOURS[at % COLOURS.length] ?? 'black', HEIGHT + 20 * at)),
    '</svg>\n',
  ].join('\n');
}

const gridLine = (at: number, value: number): string =>
  `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/><text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${value.toFixed(3)}</text>`;

function line({ rounds }: SkillTold, colour: string, x: (at: number) => number, y: (value: number) => number): string {
  const points = rounds.map(({ pems }, at) => `${x(at).toFixed(1)},${y(pems).toFixed(1)}`).join(' ');
  const marks = rounds.map(({ pems, rewritten, verdict }, at) => {
    const [cx, cy] = [x(at), y(pems)];
    if (verdict === 'refused')
      return `<path d="M${cx - 4},${cy - 4} l8,8 m0,-8 l-8,8" stroke="${colour}" stroke-width="2" fill="none"/>`;
    return `<circle cx="${cx}" cy="${cy}" r="4" stroke="${colour}" stroke-width="2" fill="${rewritten ? 'white' : colour}"/>`;
  });
  return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>${marks.join('')}`;
}

function legend({ id, version, lifecycle, text }: SkillTold, colour: string, y: number): string {
  const named = `${lifecycle} ${id.slice(0, 8)} v${version}: ${(text.split('\n')[0] ?? '').slice(0, 80)}`;
  return `<rect x="${LEFT}" y="${y}" width="12" height="12" fill="${colour}"/><text x="${LEFT + 18}" y="${y + 11}">${escapeMarkup(named)}</text>`;
}
