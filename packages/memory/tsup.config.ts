import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "adapter/index": "src/adapter/index.ts",
    "engine/index": "src/engine/index.ts",
    "history/index": "src/history/index.ts",
    "testing/index": "src/testing/index.ts",
    "platform/node": "src/platform/node.ts",
    "platform/web": "src/platform/web.ts",
    "adapter/node-packages": "src/adapter/node-packages.ts",
    "adapter/web-packages": "src/adapter/web-packages.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  // What the package's `imports` name is chosen where it is loaded.
  external: ["vitest", /^#/],
});
