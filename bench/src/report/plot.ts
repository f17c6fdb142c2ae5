import type { BarPlot, LinePlot, Panel } from "../results.ts";
import { COLOURS, element, line, picture, text } from "./svg.ts";

const PANEL = { width: 330, height: 220 };
const MARGIN = { left: 58, right: 18, top: 84, bottom: 50 };
const LEGEND_STEP = 180;
const MARK = 4;

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

const frameOf = (index: number): Frame => ({
  left: MARGIN.left + index * (PANEL.width + MARGIN.left + MARGIN.right),
  top: MARGIN.top,
  bottom: MARGIN.top + PANEL.height,
});

const sizeFor = (panels: number) => ({
  width: panels * (PANEL.width + MARGIN.left + MARGIN.right),
  height: MARGIN.top + PANEL.height + MARGIN.bottom,
});

const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? COLOURS[0];

const tickLabel = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 3 });

const square = (index: number, x: number, y: number): string =>
  element("rect", { x: x - MARK, y: y - MARK, width: 2 * MARK, height: 2 * MARK, fill: colourOf(index) });

const triangle = (x: number, y: number): string => `M${(x - 5).toFixed(1)} ${(y + 4).toFixed(1)}h10l-5 -9Z`;

const mark = (index: number, x: number, y: number): string => {
  if (index === 0) return square(index, x, y);
  if (index === 1) return element("circle", { cx: x, cy: y, r: MARK, fill: colourOf(index) });
  return element("path", { d: triangle(x, y), fill: colourOf(index) });
};

function heading(title: string, names: readonly string[], markOf: typeof mark): string[] {
  const legend = names.flatMap((name, index) => {
    const x = MARGIN.left + index * LEGEND_STEP;
    return [markOf(index, x + 5, 44), text(name, { x: x + 16, y: 48 })];
  });
  return [text(title, { x: MARGIN.left, y: 24, "font-size": 15, "font-weight": 600 }), ...legend];
}

const panelTitle = (title: string, { left, top }: Frame): string =>
  text(title, { x: left, y: top - 10, "font-weight": 600 });

function yAxis(
  frame: Frame,
  label: string,
  ticks: readonly (readonly [value: number, y: number])[],
): string[] {
  const { left, top } = frame;
  const middle = top + PANEL.height / 2;
  return [
    ...ticks.flatMap(([value, y]) => [
      line(left, y, left + PANEL.width, y),
      text(tickLabel(value), { x: left - 8, y: y + 4, "text-anchor": "end" }),
    ]),
    text(label, {
      x: 0,
      y: 0,
      "text-anchor": "middle",
      transform: `translate(${left - 44} ${middle}) rotate(-90)`,
    }),
  ];
}

/** The powers of ten around the values. */
function decades(values: readonly number[]): { readonly from: number; readonly to: number } {
  const logs = values.map(Math.log10);
  const from = Math.floor(Math.min(...logs));
  return { from, to: Math.max(from + 1, Math.ceil(Math.max(...logs))) };
}

const powers = ({ from, to }: { readonly from: number; readonly to: number }): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

function linePanel({ series, title }: Panel, plot: LinePlot, frame: Frame): string[] {
  const points = plot.panels.flatMap((panel) => panel.series.flatMap((one) => one.points));
  const [xs, ys] = [decades(points.map(([x]) => x)), decades(points.map(([, y]) => y))];
  const inset = 16;
  const xOf = (value: number): number =>
    frame.left + inset + ((Math.log10(value) - xs.from) / (xs.to - xs.from)) * (PANEL.width - 2 * inset);
  const yOf = (value: number): number =>
    frame.bottom - ((Math.log10(value) - ys.from) / (ys.to - ys.from)) * PANEL.height;
  const xTicks = powers(xs).map((power) =>
    text(tickLabel(10 ** power), { x: xOf(10 ** power), y: frame.bottom + 18, "text-anchor": "middle" }),
  );
  const lines = series.flatMap(({ points }, index) => {
    const d = points
      .map(([x, y], at) => `${at === 0 ? "M" : "L"}${xOf(x).toFixed(1)} ${yOf(y).toFixed(1)}`)
      .join("");
    const dashes = index === 0 ? { "stroke-dasharray": "5 4" } : {};
    const path = element("path", { d, fill: "none", stroke: colourOf(index), "stroke-width": 2, ...dashes });
    return [path, ...points.map(([x, y]) => mark(index, xOf(x), yOf(y)))];
  });
  const middle = frame.left + PANEL.width / 2;
  return [
    panelTitle(title, frame),
    ...yAxis(
      frame,
      plot.y,
      powers(ys).map((power) => [10 ** power, yOf(10 ** power)] as const),
    ),
    ...xTicks,
    text(plot.x, { x: middle, y: frame.bottom + 38, "text-anchor": "middle" }),
    ...lines,
  ];
}

/** A round step that divides the axis into about four. */
function stepFor(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step * 5 >= highest) ?? 10 * power;
}

function barPanel({ title, groups }: BarPlot["panels"][number], plot: BarPlot, frame: Frame): string[] {
  const highest = Math.max(...plot.panels.flatMap((panel) => panel.groups.flatMap(({ values }) => values)));
  const step = stepFor(highest);
  const steps = Math.ceil((highest * 1.05) / step);
  const yOf = (value: number): number => frame.bottom - (value / (steps * step)) * PANEL.height;
  const groupWidth = PANEL.width / groups.length;
  const barWidth = Math.min(34, (groupWidth - 8) / plot.bars.length);
  const bars = groups.flatMap(({ name, values }, group) => {
    const middle = frame.left + (group + 0.5) * groupWidth;
    const drawn = values.flatMap((value, index) => {
      const x = middle + (index - values.length / 2) * barWidth;
      const size = { x: x + 1, y: yOf(value), width: barWidth - 2, height: frame.bottom - yOf(value) };
      const label = { x: x + barWidth / 2, y: yOf(value) - 4, "text-anchor": "middle", "font-size": 10 };
      return [element("rect", { ...size, fill: colourOf(index) }), text(value.toFixed(2), label)];
    });
    const label = text(name, { x: middle, y: frame.bottom + 18, "text-anchor": "middle", "font-size": 11 });
    return [...drawn, label];
  });
  const ticks = Array.from({ length: steps + 1 }, (_, n) => [n * step, yOf(n * step)] as const);
  return [panelTitle(title, frame), ...yAxis(frame, plot.y, ticks), ...bars];
}

/** The plot as the text of an SVG file. */
export function renderPlot(plot: LinePlot | BarPlot): string {
  const size = sizeFor(plot.panels.length);
  if (plot.kind === "lines") {
    const names = plot.panels[0]?.series.map(({ name }) => name) ?? [];
    const panels = plot.panels.flatMap((panel, index) => linePanel(panel, plot, frameOf(index)));
    return picture(plot.title, size, [...heading(plot.title, names, mark), ...panels]);
  }
  const panels = plot.panels.flatMap((panel, index) => barPanel(panel, plot, frameOf(index)));
  return picture(plot.title, size, [...heading(plot.title, plot.bars, square), ...panels]);
}
