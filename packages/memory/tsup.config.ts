import { defineConfig } from "tsup";
import { base, loadedWith } from "../../tsup.base.ts";

const engine = "src/engine/index.ts";
const history = "src/history/index.ts";
const adapter = "src/adapter/index.ts";
const turns = "src/turns/index.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "adapter/index": adapter,
    "digest/index": "src/digest/index.ts",
    "engine/index": engine,
    "history/index": history,
    "testing/index": "src/testing/index.ts",
    "turns/index": turns,
    "platform/node-bytes": "src/platform/node-bytes.ts",
    "platform/web-bytes": "src/platform/web-bytes.ts",
    "platform/node-digest": "src/platform/node-digest.ts",
    "platform/web-digest": "src/platform/web-digest.ts",
    "adapter/node-packages": "src/adapter/node-packages.ts",
    "adapter/web-packages": "src/adapter/web-packages.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  esbuildPlugins: [
    loadedWith({
      [engine]: ["src/window/tokens.ts"],
      [adapter]: [engine],
      [turns]: [engine, history, adapter],
      "src/index.ts": [turns],
      "src/testing/index.ts": [turns],
    }),
  ],
  // What the package's `imports` name is chosen where it is loaded.
  external: ["vitest", /^#/],
});
