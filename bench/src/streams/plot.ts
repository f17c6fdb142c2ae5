/** A line of a plot: a value for each number of streams. */
export interface Line {
  readonly name: string;
  readonly color: string;
  readonly isDashed: boolean;
  readonly points: readonly { readonly streams: number; readonly ms: number }[];
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

/** Draws the lag by the number of streams, as an SVG that reads well on light and dark pages. */
export function plotLag(lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const sizes = [...new Set(points.map(({ streams }) => streams))].sort((a, b) => a - b);
  const step = niceStep(Math.max(...points.map(({ ms }) => ms)) / STEPS);
  const x = (streams: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * streams) / Math.max(...sizes);
  const y = (ms: number): number => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * ms) / (step * STEPS);
  const text = (at: { x: number; y: number }, anchor: string, content: string): string =>
    `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" text-anchor="${anchor}">${content}</text>`;
  const grid = Array.from({ length: STEPS + 1 }, (_, nth) => {
    const at = y(nth * step);
    return [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#8888" />`,
      text({ x: LEFT - 8, y: at + 4 }, "end", `${nth * step} ms`),
    ].join("");
  });
  const drawn = lines.map(({ color, isDashed, points }) => {
    const path = points.map(({ streams, ms }) => `${x(streams).toFixed(1)},${y(ms).toFixed(1)}`).join(" ");
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
    "<title>Age of a piece by the number of streams</title>",
    ...grid,
    ...sizes.map((streams) => text({ x: x(streams), y: HEIGHT - BOTTOM + 18 }, "middle", String(streams))),
    text({ x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8 }, "middle", "streams"),
    ...drawn,
    ...key,
    "</svg>",
    "",
  ].join("\n");
}
