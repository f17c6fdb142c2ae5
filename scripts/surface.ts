/**
 * Compares the types that each entry of each published package exports with those in the package's folder `api`, so that a change
 * of them is read in review. `--write` writes them anew. Fails, too, for a value that no
 * example of the documentation imports. It reads the sources, so nothing need be built.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { undocumentedValues } from "./documented-values.ts";
import { readPublicTypes } from "./public-types.ts";
import type { Entry } from "./published-packages.ts";

const root = new URL("..", import.meta.url).pathname;
/** Of the changes of a page. */
const MOST_SHOWN = 40;

function pageOf({ folder, path }: Entry): string {
  const name = path === "." ? "index" : path.slice(2).replaceAll("/", "-");
  return join(folder, "api", `${name}.md`);
}

function pagesIn(folder: string): readonly string[] {
  const pages = join(folder, "api");
  return existsSync(pages) ? readdirSync(pages).map((name) => join(pages, name)) : [];
}

/** What differs, each hunk behind the first line of the declaration that it is in. */
function changesOf(page: string, text = ""): string {
  const before = existsSync(page) ? page : "/dev/null";
  const args = ["diff", "--no-index", "--no-color", "-U0", before, "-"];
  const { stdout } = spawnSync("git", args, { input: text, encoding: "utf8" });
  const changes = stdout.split("\n").slice(4); // Without the names of the files.
  const more = changes.length > MOST_SHOWN ? [`and ${changes.length - MOST_SHOWN} lines more`] : [];
  return [relative(root, page), ...changes.slice(0, MOST_SHOWN), ...more].join("\n");
}

const entries = readPublicTypes(root);
const before = new Map(
  [...new Set(entries.map(({ entry }) => entry.folder))]
    .flatMap(pagesIn)
    .map((page) => [page, readFileSync(page, "utf8")]),
);
const after = new Map(entries.map(({ entry, text }) => [pageOf(entry), text]));
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (page) => before.get(page) !== after.get(page),
);

if (process.argv.includes("--write")) {
  for (const page of changed) {
    const text = after.get(page);
    mkdirSync(dirname(page), { recursive: true });
    if (text === undefined) rmSync(page);
    else writeFileSync(page, text);
    console.log(`${text === undefined ? "Removed" : "Wrote"} ${relative(root, page)}.`);
  }
} else if (changed.length > 0) {
  for (const page of changed) console.error(`${changesOf(page, after.get(page))}\n`);
  console.error("Exported types have changed. If that is intended: npx pnpm@12.21.0 surface --write");
  process.exitCode = 1;
} else console.log(`The exported types of ${entries.length} entries are as written in packages/*/api.`);

const undocumented = undocumentedValues(root, entries);
if (undocumented.length > 0) {
  console.error(
    `${undocumented.join("\n")}\nNo example imports these: add one to docs or to the package's README.`,
  );
  process.exitCode = 1;
}
