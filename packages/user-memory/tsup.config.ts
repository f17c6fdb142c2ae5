import { defineConfig } from "tsup";
import { base, loadedWith, oneEntryOfMemory } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "adapter/index": "src/adapter/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  external: ["vitest"],
  // Of what backends need, `client` has the little that user memory does.
  plugins: [oneEntryOfMemory("client", { others: ["adapter"] })],
  esbuildPlugins: [
    loadedWith({
      "src/extract/extraction-code.ts": ["src/adapter/index.ts"],
      "src/adapter/index.ts": ["src/in-memory/backend.ts"],
      "src/index.ts": ["src/adapter/index.ts"],
      "src/testing/index.ts": ["src/adapter/index.ts"],
    }),
  ],
});
