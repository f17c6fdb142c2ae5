import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "adapter/index": "src/adapter/index.ts",
    "client/index": "src/client/index.ts",
    "digest/index": "src/digest/index.ts",
    "engine/index": "src/engine/index.ts",
    "history/index": "src/history/index.ts",
    "turns/index": "src/turns/index.ts",
    "testing/index": "src/testing/index.ts",
    "platform/node-digest": "src/platform/node-digest.ts",
    "platform/web-digest": "src/platform/web-digest.ts",
    "adapter/node-packages": "src/adapter/node-packages.ts",
    "adapter/web-packages": "src/adapter/web-packages.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  // What the package's `imports` name is chosen where it is loaded.
  external: ["vitest", /^#/],
});
