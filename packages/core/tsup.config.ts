import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    adapter: "src/adapter.ts",
    internal: "src/internal.ts",
    "partial-output/index": "src/partial-output/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  // The entries share functions: each must be there once.
  splitting: true,
});
