/** A duration given in microseconds, with the unit that suits it and two or three digits that matter. */
export function duration(microseconds: number): string {
  if (microseconds < 10) return `${microseconds.toFixed(1)} µs`;
  if (microseconds < 1_000) return `${microseconds.toFixed(0)} µs`;
  const milliseconds = microseconds / 1_000;
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(2)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}

export const integer = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
