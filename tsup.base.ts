import type { Options } from "tsup";

/** Build settings shared by every package; a package adds its entries. */
export const base = {
  format: ["esm", "cjs"],
  target: "node20",
  sourcemap: true,
  clean: true,
  treeshake: true,
  splitting: false,
  // Deno and bundlers know a module of Node's by its whole name.
  removeNodeProtocol: false,
  // TypeScript 6 deprecates an option that tsup's declaration build still sets.
  dts: { compilerOptions: { ignoreDeprecations: "6.0" } },
} satisfies Options;
