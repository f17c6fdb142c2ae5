import type { Check, PartResult, Table } from "./results.ts";

/** Formats a duration in microseconds with a suitable unit and two or three significant digits. */
export function duration(microseconds: number): string {
  if (microseconds < 10) return `${microseconds.toFixed(1)} µs`;
  if (microseconds < 1_000) return `${microseconds.toFixed(0)} µs`;
  const milliseconds = microseconds / 1_000;
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(2)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}

export const integer = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));

/** Formats a Markdown table with aligned columns. */
export function renderTable({ columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(3, column.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(columns), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function amount({ unit }: Check, value: number): string {
  const digits = unit === "%" || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))}${unit}`;
}

const isMet = ({ measured, rule, target }: Check): boolean =>
  rule === "at most" ? measured <= target : measured >= target;

/** The figures of a part, and the targets that they meet. */
export function renderPart({ table, checks }: PartResult): string {
  if (checks.length === 0) return renderTable(table);
  const targets = {
    columns: ["target", "", "measured", ""],
    rows: checks.map((check) => [
      check.what,
      `${check.rule} ${amount(check, check.target)}`,
      amount(check, check.measured),
      isMet(check) ? "met" : "**missed**",
    ]),
  };
  return `${renderTable(table)}\n\n${renderTable(targets)}`;
}
