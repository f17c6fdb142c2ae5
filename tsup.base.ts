import { readFileSync } from "node:fs";
import type { Options } from "tsup";

// tsup runs in the package's folder.
const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));

/** Build settings shared by every package; a package adds its entries. `scripts/write-declarations.ts` writes the declarations. */
export const base = {
  format: ["esm", "cjs"],
  target: "node20",
  clean: true,
  // No module of ours does anything as it loads, so what nothing is taken of needn't be imported.
  treeshake: { moduleSideEffects: false },
  splitting: false,
  // Deno and bundlers know a module of Node's by its whole name.
  removeNodeProtocol: false,
  define: { "globalThis.JAF_RELEASE": JSON.stringify(`${name} ${version}`) },
} satisfies Options;
