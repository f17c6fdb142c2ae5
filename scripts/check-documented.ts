/**
 * Fails if no example of the documentation imports a value that the root of a package for applications exports. Examples are the
 * fenced blocks of README.md, docs/*.md and the packages' own READMEs, which `check-snippets.ts` compiles. It reads the sources,
 * so nothing need be built.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPublicTypes } from "./public-types.ts";

const root = new URL("..", import.meta.url).pathname;

const PACKAGES = [
  "@jaf/core",
  "@jaf/agents",
  "@jaf/memory",
  "@jaf/memory-redis",
  "@jaf/memory-postgres",
  "@jaf/user-memory",
  "@jaf/openai",
  "@jaf/anthropic",
  "@jaf/google",
  "@jaf/ai-sdk",
  "@jaf/server",
  "@jaf/xflow",
];

const BLOCK = /^(```+|~~~+)ts\b[^\n]*\n([\s\S]*?)^\1/gm;
const IMPORT = /\bimport\s*\{([^}]*)\}\s*from\s*"([^"]+)"/g;

/** As `<specifier>: <name>`. */
function importedIn(document: string): readonly string[] {
  const blocks = [...readFileSync(document, "utf8").matchAll(BLOCK)].map(([, , block = ""]) => block);
  return [...blocks.join("\n").matchAll(IMPORT)].flatMap(([, names = "", specifier]) =>
    names.split(",").map((name) => `${specifier}: ${name.trim().split(/\s+as\s+/)[0]}`),
  );
}

const roots = readPublicTypes(root).filter(({ entry }) => PACKAGES.includes(entry.specifier));
if (roots.length < PACKAGES.length) throw new Error("A package of the list has no root.");

const documents = [
  join(root, "README.md"),
  ...roots.map(({ entry }) => join(entry.folder, "README.md")),
  ...readdirSync(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(root, "docs", file)),
];
const imported = new Set(documents.flatMap(importedIn));
const exported = roots.flatMap(({ entry, values }) => values.map((name) => `${entry.specifier}: ${name}`));
const missing = exported.filter((value) => !imported.has(value));

if (missing.length > 0) {
  console.error(
    `${missing.join("\n")}\nNo example imports these: add one to docs or to the package's README.`,
  );
  process.exitCode = 1;
} else {
  console.log(
    `Examples import all ${exported.length} values that ${roots.length} packages export at their root.`,
  );
}
