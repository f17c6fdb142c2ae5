import { type Check, isMet, type PartResult, type Table } from "../results.ts";

/** A table whose columns line up, so that it can be read as it is. */
export function renderTable({ columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(3, column.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(columns), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function digitsOf({ unit }: Check, value: number): number {
  if (unit === "%" || value >= 100) return 0;
  return value >= 10 ? 1 : 2;
}

const amount = (check: Check, value: number): string =>
  `${Number(value.toFixed(digitsOf(check, value)))}${check.unit}`;

const renderChecks = (checks: readonly Check[]): string =>
  renderTable({
    columns: ["target", "", "measured", ""],
    rows: checks.map((check) => [
      check.what,
      `${check.rule} ${amount(check, check.target)}`,
      amount(check, check.measured),
      isMet(check) ? "met" : "**missed**",
    ]),
  });

/** The figures of a part, and which targets they meet. */
export const renderPart = ({ table, checks }: Pick<PartResult, "table" | "checks">): string =>
  `${renderTable(table)}\n\n${renderChecks(checks)}`;
