/**
 * Checks that no folders import each other in a circle, at any level of any package. Such folders couldn't be understood
 * or moved separately.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type FolderCircle, folderCircles } from "./folder-circles.ts";
import { type Import, readImports } from "./folder-imports.ts";

/** The most imports from one folder to the next that a message shows. */
const MOST_SHOWN = 5;

const root = new URL("..", import.meta.url).pathname;

const sources = [...["packages", "apps", "examples"].flatMap(foldersIn), "bench", "integration"]
  .flatMap((folder) => [join(folder, "src"), join(folder, "test")])
  .filter((folder) => existsSync(join(root, folder)));

function foldersIn(parent: string): readonly string[] {
  return readdirSync(join(root, parent)).map((name) => join(parent, name));
}

function describe(folder: string, { level, steps }: FolderCircle): string {
  const around = [...steps.map(({ from }) => from), steps[0]?.from].join(" → ");
  const lines = steps.flatMap(({ from, to, imports }) => [`  ${from} → ${to}`, ...importLines(imports)]);
  return [`${join(folder, level)}: ${around}`, ...lines].join("\n");
}

const importLines = (imports: readonly Import[]): readonly string[] => [
  ...imports.slice(0, MOST_SHOWN).map(({ from, to }) => `    ${from} imports ${to}`),
  ...(imports.length > MOST_SHOWN ? [`    and ${imports.length - MOST_SHOWN} more`] : []),
];

const circles = sources.flatMap((folder) =>
  folderCircles(readImports(join(root, folder))).map((circle) => describe(folder, circle)),
);
if (circles.length === 0) console.log("No folders import each other in a circle.");
else {
  console.error(`Folders that import each other in a circle:\n\n${circles.join("\n\n")}\n`);
  process.exitCode = 1;
}
