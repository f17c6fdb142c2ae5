import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";

/** A line of a plot. */
export interface Series {
  readonly label: string;
  /** `null` for an unknown value. */
  readonly values: readonly (number | null)[];
}

interface PlotData {
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly height: number;
}

const COLOURS = ["--accent", "--second"] as const;

export function drawPlot(place: HTMLElement, { x, series, height }: PlotData): { destroy: () => void } {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  const widthOf = () => Math.max(200, place.clientWidth);
  const plot = new uPlot(
    {
      width: widthOf(),
      height,
      legend: { show: series.length > 1, live: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
      axes: [{ ...axis, incrs: [1, 2, 5, 10, 20, 50] }, axis],
      series: [
        { label: "turn" },
        ...series.map(({ label }, index) => ({
          label,
          stroke: colour(COLOURS[index % COLOURS.length] ?? "--accent"),
          width: 2,
          points: { show: true, size: 5 },
        })),
      ],
    },
    [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
    place,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: widthOf(), height }));
  observer.observe(place);
  return {
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}
