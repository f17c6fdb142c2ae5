import { defineConfig } from "tsup";
import { base, loadedAsOne, loadedAtOnce, loadedWith, oneEntryOfMemory, web } from "../../tsup.base.ts";

const loop = ["src/engine/run.ts", "src/engine/run-stream.ts"];

/** Two entries that share functions: each must be there once. */
const entries = { index: "src/index.ts", "adapter/index": "src/adapter/index.ts" };
const testing = { "testing/index": "src/testing/index.ts" };

/** What loads the engine's parts. */
const loading = ["src/engine/lazy-modules.ts", "src/interruption/classify-calls.ts"];
const loadingPrompts = "src/client/load-prompt.ts";

export default defineConfig([
  {
    ...base,
    entry: entries,
    format: ["esm"],
    splitting: true,
    clean: ["!web/**"],
    // What runs and clients need beside the loop comes when it is first needed: then it has all of memory.
    plugins: [
      oneEntryOfMemory("turns", { others: ["client", "engine", "digest"], outputs: /\bparts-[^/\\]+$/ }),
      oneEntryOfMemory("client", { others: ["engine"] }),
    ],
    esbuildPlugins: [loadedAsOne(...loading, loadingPrompts)],
  },
  {
    ...base,
    entry: entries,
    format: ["cjs"],
    splitting: true,
    clean: false,
    // `turns` has all of the others: two files less to find.
    plugins: [oneEntryOfMemory("turns", { others: ["client", "engine", "digest"] })],
    esbuildPlugins: [loadedAtOnce(...loading, loadingPrompts)],
  },
  { ...base, entry: testing, clean: false },
  {
    ...web,
    // The client has a file of its own, so that whoever only runs agents needs none of it.
    entry: { ...entries, client: "src/client/agent-client.ts" },
    esbuildPlugins: [
      loadedAtOnce(loadingPrompts),
      loadedWith({
        "src/engine/run.ts": ["src/tools/result-text.ts"],
        "src/client/agent-client.ts": [entries.index],
        "src/engine/stored-run-module.ts": loop,
        "src/context/context-module.ts": [
          ...loop,
          "src/engine/sent-continuation.ts",
          "src/engine/check-memory-config.ts",
          "src/memory/metadata.ts",
          "src/memory/to-result.ts",
        ],
        "src/interruption/apply-decisions.ts": loop,
      }),
    ],
  },
]);
