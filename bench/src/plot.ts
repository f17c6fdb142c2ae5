/** A line of a plot. */
export interface Line {
  readonly name: string;
  readonly color: string;
  readonly isDashed: boolean;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** What a plot shows. */
export interface Plot {
  readonly title: string;
  /** What the horizontal axis shows. */
  readonly xTitle: string;
  /** The labelled values of the horizontal axis. */
  readonly xTicks: readonly number[];
  /** The unit of the vertical axis. */
  readonly yUnit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 680;
const HEIGHT = 360;
const LEFT = 56;
const RIGHT = 216;
const TOP = 16;
const BOTTOM = 44;
const STEPS = 5;

/** Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `value`. */
function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** Draws lines as an SVG that reads well on light and dark pages. Both axes begin at 0. */
export function plotLines({ title, xTitle, xTicks, yUnit, lines }: Plot): string {
  const step = niceStep(Math.max(...lines.flatMap(({ points }) => points.map((point) => point.y))) / STEPS);
  const x = (value: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * value) / Math.max(...xTicks);
  const y = (value: number): number => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / (step * STEPS);
  const text = (at: { x: number; y: number }, anchor: string, content: string): string =>
    `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" text-anchor="${anchor}">${content}</text>`;
  const grid = Array.from({ length: STEPS + 1 }, (_, nth) => {
    const at = y(nth * step);
    return [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#8888" />`,
      text({ x: LEFT - 8, y: at + 4 }, "end", `${nth * step} ${yUnit}`),
    ].join("");
  });
  const drawn = lines.map(({ color, isDashed, points }) => {
    const path = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
    const dash = isDashed ? ' stroke-dasharray="6 4"' : "";
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"${dash} />`;
  });
  const key = lines.map(({ name, color, isDashed }, nth) => {
    const at = TOP + 12 + nth * 20;
    const dash = isDashed ? ' stroke-dasharray="6 4"' : "";
    return [
      `<line x1="${WIDTH - RIGHT + 12}" x2="${WIDTH - RIGHT + 36}" y1="${at}" y2="${at}" stroke="${color}" stroke-width="2"${dash} />`,
      text({ x: WIDTH - RIGHT + 42, y: at + 4 }, "start", name),
    ].join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#808080">`,
    `<title>${title}</title>`,
    ...grid,
    ...xTicks.map((tick) => text({ x: x(tick), y: HEIGHT - BOTTOM + 18 }, "middle", String(tick))),
    text({ x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8 }, "middle", xTitle),
    ...drawn,
    ...key,
    "</svg>",
    "",
  ].join("\n");
}
