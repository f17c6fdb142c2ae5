import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "adapter/index": "src/adapter.ts",
    "client/index": "src/internal.ts",
    "digest/index": "src/internal.ts",
    "engine/index": "src/internal.ts",
    "history/index": "src/history/index.ts",
    "turns/index": "src/internal.ts",
    "testing/index": "src/testing/index.ts",
    "platform/node-digest": "src/runtime/node-digest.ts",
    "platform/web-digest": "src/runtime/web-digest.ts",
    "adapter/node-packages": "src/config/node-packages.ts",
    "adapter/web-packages": "src/config/web-packages.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  // What the package's `imports` name is chosen where it is loaded.
  external: ["vitest", /^#/],
});
