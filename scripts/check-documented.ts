/**
 * Fails if a value that the root of a package for applications exports is named by no code of the documentation: by none of
 * README.md, docs/*.md and the package's own README. It reads the sources, so nothing need be built.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPublicTypes } from "./public-types.ts";

const root = new URL("..", import.meta.url).pathname;

const PACKAGES = [
  "@jaf/core",
  "@jaf/memory",
  "@jaf/memory-redis",
  "@jaf/memory-postgres",
  "@jaf/user-memory",
  "@jaf/openai",
  "@jaf/anthropic",
  "@jaf/google",
  "@jaf/ai-sdk",
];

/** What stands between fences, or within one line between backticks. */
const CODE = /^(```+|~~~+)[^\n]*\n([\s\S]*?)^\1|`([^`\n]+)`/gm;
const NAME = /[A-Za-z_$][\w$]*/g;

function namesInCode(document: string): readonly string[] {
  const texts = [...readFileSync(document, "utf8").matchAll(CODE)].map(([, , block, span]) => block ?? span);
  return texts.flatMap((text) => text?.match(NAME) ?? []);
}

const shared = [
  join(root, "README.md"),
  ...readdirSync(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(root, "docs", file)),
].flatMap(namesInCode);

const roots = readPublicTypes(root).filter(({ entry }) => PACKAGES.includes(entry.specifier));
const missing = roots.flatMap(({ entry, values }) => {
  const names = new Set([...shared, ...namesInCode(join(entry.folder, "README.md"))]);
  return values.filter((name) => !names.has(name)).map((name) => `${entry.specifier}: ${name}`);
});

if (roots.length < PACKAGES.length) throw new Error("A package of the list has no root.");
if (missing.length > 0) {
  console.error(
    `${missing.join("\n")}\nNo code of README.md, docs/*.md or the package's README names these.`,
  );
  process.exitCode = 1;
} else {
  const count = roots.flatMap(({ values }) => values).length;
  console.log(
    `The documentation names all ${count} values that ${roots.length} packages export at their root.`,
  );
}
