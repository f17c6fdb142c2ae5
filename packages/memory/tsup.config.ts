import { defineConfig } from "tsup";
import { base, loadedWith, web } from "../../tsup.base.ts";

const root = "src/index.ts";
const adapter = "src/adapter/index.ts";
const client = "src/client/index.ts";
const engine = "src/engine/index.ts";
const history = "src/history/index.ts";
const turns = "src/turns/index.ts";
const testing = "src/testing/index.ts";

const entry = {
  index: root,
  "adapter/index": adapter,
  "client/index": client,
  "digest/index": "src/digest/index.ts",
  "engine/index": engine,
  "history/index": history,
  "turns/index": turns,
};

// What the package's `imports` name is chosen where it is loaded.
const external = ["vitest", /^#/];

export default defineConfig([
  {
    ...base,
    entry: {
      ...entry,
      "testing/index": testing,
      "platform/node-digest": "src/platform/node-digest.ts",
      "platform/web-digest": "src/platform/web-digest.ts",
      "adapter/node-packages": "src/adapter/node-packages.ts",
      "adapter/web-packages": "src/adapter/web-packages.ts",
    },
    clean: ["!web/**"],
    // The entries share classes and registries: each must be there once.
    splitting: true,
    external,
    // Five files: what `history` has, what `engine` has beside it, what `client` has beside that, what adapters need, and the rest
    // of what stored turns need.
    esbuildPlugins: [
      loadedWith({
        [root]: [turns],
        [adapter]: [client],
        [engine]: [history],
        [turns]: [adapter, client, history],
        [testing]: [turns],
      }),
    ],
  },
  {
    ...web,
    entry,
    external,
    esbuildPlugins: [
      loadedWith({
        [root]: [turns],
        [adapter]: [engine],
        [engine]: ["src/window/tokens.ts"],
        [turns]: [engine, history, adapter],
      }),
    ],
  },
]);
