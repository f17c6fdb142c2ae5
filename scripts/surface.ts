/**
 * Compares the exported types of each published package's entries with those in the package's folder `api`, so changes are
 * reviewed. `--write` updates the folder. Also fails for a value that no example of the documentation, or none of its own doc
 * comment, imports. It reads the sources, so no build is needed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { undocumentedValues, valuesWithoutExample } from "./documented-values.ts";
import { readPublicTypes } from "./public-types.ts";
import type { Entry } from "./published-packages.ts";

const root = new URL("..", import.meta.url).pathname;
/** The most lines of a page's changes that are printed. */
const MOST_SHOWN = 40;

function pageOf({ folder, path }: Entry): string {
  const name = path === "." ? "index" : path.slice(2).replaceAll("/", "-");
  return join(folder, "api", `${name}.md`);
}

function pagesIn(folder: string): readonly string[] {
  const pages = join(folder, "api");
  return existsSync(pages) ? readdirSync(pages).map((name) => join(pages, name)) : [];
}

/** The differences, each hunk after the first line of its declaration. */
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

const withoutExample = valuesWithoutExample(entries);
if (withoutExample.length > 0) {
  console.error(
    `${withoutExample.join("\n")}\nTheir doc comments lack an @example that imports them: add a short one.`,
  );
  process.exitCode = 1;
}
