import type { Options } from "tsup";

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
} satisfies Options;
