import { useEffect, useRef } from "preact/hooks";
import type { Series } from "./draw-plot.ts";

interface PlotProps {
  readonly label: string;
  readonly x: readonly number[];
  readonly series: readonly Series[];
}

const HEIGHT = 180;
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? "unknown" : NUMBER.format(value);

/** A plot, drawn when its library is loaded. A table has its numbers for screen readers. */
export function Plot({ label, x, series }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let drawn: { destroy: () => void } | undefined;
    let gone = false;
    const draw = async () => {
      const { drawPlot } = await import("./draw-plot.ts");
      if (!gone && place.current !== null) drawn = drawPlot(place.current, { x, series, height: HEIGHT });
    };
    void draw();
    return () => {
      gone = true;
      drawn?.destroy();
    };
  }, [x, series]);
  return (
    <figure class="plot">
      <figcaption>{label}</figcaption>
      <div ref={place} aria-hidden="true" style={{ minHeight: `${HEIGHT}px` }} />
      <table class="hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {x.map((number, index) => (
            <tr key={number}>
              <th scope="row">{number}</th>
              {series.map((one) => (
                <td key={one.label}>{textOf(one.values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
