import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { PartResult, Results } from "../results.ts";
import { renderPart } from "./markdown.ts";
import { renderPlot } from "./plot.ts";

const page = new URL("../../../docs/benchmarks.md", import.meta.url);
const plots = new URL("../../../docs/benchmarks/", import.meta.url);

const markersOf = (name: string) => [`<!-- bench ${name} -->`, "<!-- end -->"] as const;

/** Puts text between a marker and the next end. Throws an `Error` that names a missing marker. */
export function replaceMarked(document: string, name: string, text: string): string {
  const [begin, end] = markersOf(name);
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`docs/benchmarks.md has no ${begin} … ${end}`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

const pictureOf = ({ file, title }: PartResult["plots"][number]): string => `![${title}](benchmarks/${file})`;

const renderSection = (part: PartResult): string =>
  [renderPart(part), ...part.plots.map(pictureOf)].join("\n\n");

const describeRun = ({ machine, takenOn, minutes, disturbedBy }: Results): string => {
  const run = `One run of ${Math.round(minutes)} minutes on ${takenOn}: ${machine}.`;
  if (disturbedBy === undefined) return run;
  return `${run} **Other work ran beside it (load ${disturbedBy.toFixed(1)}), so even the ratios are rough.**`;
};

/** Writes tables and plots into the documentation; which files. */
export function writeDocs(results: Results): readonly URL[] {
  const { parts } = results;
  let document = replaceMarked(readFileSync(page, "utf8"), "run", describeRun(results));
  for (const part of parts) document = replaceMarked(document, part.part, renderSection(part));
  writeFileSync(page, document);
  mkdirSync(plots, { recursive: true });
  const pictures = parts
    .flatMap((part) => part.plots)
    .map((plot) => {
      const file = new URL(plot.file, plots);
      writeFileSync(file, renderPlot(plot));
      return file;
    });
  return [page, ...pictures];
}

const repository = new URL("../../../", import.meta.url);

/** As `pnpm check` wants them. */
export function formatFiles(files: readonly URL[]): void {
  const program = fileURLToPath(new URL("node_modules/.bin/biome", repository));
  const cwd = fileURLToPath(repository);
  execFileSync(program, ["format", "--write", ...files.map((file) => fileURLToPath(file))], {
    cwd,
    stdio: "ignore",
  });
}
