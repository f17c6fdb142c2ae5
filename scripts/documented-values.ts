/**
 * Checks that examples of the documentation import each value that an application package's root exports. Examples are the
 * fenced blocks of README.md, docs/*.md and the packages' READMEs, which `check-snippets.ts` compiles.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PublicTypes } from "./public-types.ts";

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

/** The values that no example imports, as `<specifier>: <name>`. */
export function undocumentedValues(root: string, types: readonly PublicTypes[]): readonly string[] {
  const roots = types.filter(({ entry }) => PACKAGES.includes(entry.specifier));
  if (roots.length < PACKAGES.length) throw new Error("A package of the list has no root.");
  const documents = [
    join(root, "README.md"),
    ...roots.map(({ entry }) => join(entry.folder, "README.md")),
    ...readdirSync(join(root, "docs"))
      .filter((file) => file.endsWith(".md"))
      .map((file) => join(root, "docs", file)),
  ];
  const imported = new Set(documents.flatMap(importedIn));
  return roots
    .flatMap(({ entry, values }) => values.map((name) => `${entry.specifier}: ${name}`))
    .filter((value) => !imported.has(value));
}
