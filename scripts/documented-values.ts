/**
 * Checks that examples import each value that application packages export. `check-snippets.ts` compiles the examples:
 *
 * - of the documentation: the fenced blocks of README.md, docs/*.md and the packages' READMEs, for the packages' roots;
 * - of the value's own doc comment, for all entries that applications import.
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
  "@jaf/memory-sqlite",
  "@jaf/queue-bullmq",
  "@jaf/queue-pg-boss",
  "@jaf/user-memory",
  "@jaf/openai",
  "@jaf/anthropic",
  "@jaf/google",
  "@jaf/ai-sdk",
  "@jaf/openai-agents",
  "@jaf/claude-agent",
  "@jaf/langgraph",
  "@jaf/otel",
  "@jaf/server",
  "@jaf/mcp",
  "@jaf/mcp-memory",
  "@jaf/xflow",
];

const BLOCK = /^(```+|~~~+)ts\b[^\n]*\n([\s\S]*?)^\1/gm;
const IMPORT = /\bimport\s*\{([^}]*)\}\s*from\s*"([^"]+)"/g;

/** Entries for authors of adapters, for tests, and for our own packages. */
const NOT_FOR_APPLICATIONS = /\/(adapter|internal|testing)$/;

/** As `<specifier>: <name>`. */
function importedIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(BLOCK)].map(([, , block = ""]) => block);
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
  const imported = new Set(documents.flatMap((document) => importedIn(readFileSync(document, "utf8"))));
  return roots
    .flatMap(({ entry, values }) => values.map((name) => `${entry.specifier}: ${name}`))
    .filter((value) => !imported.has(value));
}

/** The values whose doc comment has no example that imports them, as `<specifier>: <name>`. */
export const valuesWithoutExample = (types: readonly PublicTypes[]): readonly string[] =>
  types
    .filter(({ entry }) => !NOT_FOR_APPLICATIONS.test(entry.specifier))
    .filter(({ entry }) => PACKAGES.some((name) => `${entry.specifier}/`.startsWith(`${name}/`)))
    .flatMap(({ entry, examples }) =>
      [...examples]
        .filter(([name, text]) => !importedIn(text).some((imported) => imported.endsWith(`: ${name}`)))
        .map(([name]) => `${entry.specifier}: ${name}`),
    );
