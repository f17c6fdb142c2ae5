import { mkdirSync, writeFileSync } from "node:fs";
import type { PartName } from "./options.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Check {
  readonly what: string;
  readonly measured: number;
  readonly rule: "at most" | "at least";
  readonly target: number;
  readonly unit: "×" | " ms" | "%" | "";
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

/** Lines over a logarithmic x and y axis, one panel beside the other. */
export interface LinePlot {
  readonly kind: "lines";
  readonly file: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly panels: readonly Panel[];
}

/** Groups of bars from zero, one panel beside the other. */
export interface BarPlot {
  readonly kind: "bars";
  readonly file: string;
  readonly title: string;
  readonly y: string;
  /** What the bars of each group stand for. */
  readonly bars: readonly string[];
  readonly panels: readonly {
    readonly title: string;
    readonly groups: readonly { readonly name: string; readonly values: readonly number[] }[];
  }[];
}

export interface PartResult {
  readonly part: PartName;
  readonly table: Table;
  readonly checks: readonly Check[];
  readonly plots: readonly (LinePlot | BarPlot)[];
}

export interface Results {
  readonly takenOn: string;
  readonly machine: string;
  readonly minutes: number;
  /** The load that other work put on the machine, if it was much. */
  readonly disturbedBy?: number | undefined;
  readonly parts: readonly PartResult[];
}

export const isMet = ({ measured, rule, target }: Check): boolean =>
  rule === "at most" ? measured <= target : measured >= target;

const folder = new URL("../results/", import.meta.url);

/** Keeps the data behind the tables and plots of the documentation; where. */
export function saveResults(results: Results): URL {
  mkdirSync(folder, { recursive: true });
  const file = new URL("latest.json", folder);
  writeFileSync(file, JSON.stringify(results));
  return file;
}
