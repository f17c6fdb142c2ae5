import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");

function found(pattern: RegExp): string {
  const [, match] = pattern.exec(text) ?? [];
  if (match === undefined) throw new Error(`The README has no ${pattern}.`);
  return match;
}

const program = found(/```ts\n(import [^`]*?openPglite[^`]*?)```/);

/** What the README tells a user to install and to run. */
export const README = {
  packages: found(/\nnpm install (@jaf\/core [^\n]*)\n/).split(" "),
  module: program,
  commonjs: `(async () => {\n${program.replaceAll(/^import (.*) from (".*");$/gm, "const $1 = require($2);")}\n})();`,
};
