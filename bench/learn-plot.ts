/** One line of a plot: its points have a mean and the range over seeds, in per cent. */
export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly { readonly episodes: number; readonly each: readonly number[] }[];
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [640, 400, 56, 48, 40, 24];

/** Success in unseen games against the number of episodes in memory, as an SVG. */
export function plot(series: readonly Series[], title: string): string {
  const counts = [...new Set(series.flatMap(({ points }) => points.map(({ episodes }) => episodes)))].sort((a, b) => a - b);
  const most = Math.max(1, ...counts);
  const x = (episodes: number): number => LEFT + (episodes / most) * (WIDTH - LEFT - RIGHT);
  const y = (share: number): number => HEIGHT - BOTTOM - (share / 100) * (HEIGHT - BOTTOM - TOP);
  const grid = [0, 25, 50, 75, 100].map(
    (share) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${y(share) + 4}" text-anchor="end">${share} %</text>`,
  );
  const ticks = counts.map(
    (episodes) => `<text x="${x(episodes)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${episodes}</text>`,
  );
  const lines = series.map(({ name, colour, points }, at) => {
    const path = points.map(({ episodes, each }) => `${round(x(episodes))},${round(y(meanOf(each)))}`).join(' ');
    const marks = points.map(({ episodes, each }) => {
      const shift = x(episodes) + 4 * (at - (series.length - 1) / 2);
      const range = `<line x1="${round(shift)}" x2="${round(shift)}" y1="${round(y(Math.min(...each)))}" y2="${round(y(Math.max(...each)))}" stroke="${colour}" opacity="0.5"/>`;
      return `${range}<circle cx="${round(x(episodes))}" cy="${round(y(meanOf(each)))}" r="4" fill="${colour}"/>`;
    });
    const legend = `<text x="${WIDTH - RIGHT}" y="${HEIGHT - BOTTOM - 12 - 18 * at}" text-anchor="end" fill="${colour}">${name}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${marks.join('')}${legend}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${title}</title><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="22" font-size="15">${title}</text>`,
    ...grid,
    ...ticks,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">episodes in memory</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Arithmetic mean; NaN of nothing. */
export const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
