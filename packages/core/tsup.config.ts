import { defineConfig } from "tsup";
import { base, loadedAsOne, loadedAtOnce, loadedWith, oneEntryOfMemory, web } from "../../tsup.base.ts";

const loop = ["src/engine/run.ts", "src/engine/run-stream.ts"];

const index = "src/index.ts";
const testing = "src/testing/index.ts";
const both = { index, "testing/index": testing };

/** What loads the engine's parts. */
const loading = ["src/engine/load-parts.ts", "src/interruption/sort-calls.ts"];
const loadingPrompts = "src/client/load-prompt.ts";

export default defineConfig([
  {
    ...base,
    entry: { index },
    format: ["esm"],
    clean: ["!web/**"],
    dts: false,
    // What runs and clients need beside the loop comes when it is first needed: then it has all of memory.
    splitting: true,
    plugins: [oneEntryOfMemory("turns", { others: ["engine", "digest"], outputs: /\bparts-[^/\\]+$/ })],
    esbuildPlugins: [loadedAsOne(...loading, loadingPrompts)],
  },
  { ...base, entry: { "testing/index": testing }, format: ["esm"], clean: false, dts: false },
  {
    ...base,
    entry: both,
    format: ["cjs"],
    clean: false,
    dts: false,
    // `turns` has all of the others: two files less to find.
    plugins: [oneEntryOfMemory("turns", { others: ["engine", "digest"] })],
    esbuildPlugins: [loadedAtOnce(...loading, loadingPrompts)],
  },
  { ...base, entry: both, clean: false, dts: { ...base.dts, only: true } },
  {
    ...web,
    // The client has a file of its own, so that whoever only runs agents needs none of it.
    entry: { index, client: "src/client/agent-client.ts" },
    esbuildPlugins: [
      loadedAtOnce(loadingPrompts),
      loadedWith({
        "src/engine/run.ts": ["src/tools/result-text.ts"],
        "src/client/agent-client.ts": [index],
        "src/engine/stored-part.ts": loop,
        "src/context/context-part.ts": [
          ...loop,
          "src/engine/sent-continuation.ts",
          "src/memory/check-config.ts",
          "src/memory/end-cache.ts",
          "src/memory/metadata.ts",
          "src/memory/settle.ts",
        ],
        "src/interruption/judge-calls.ts": loop,
      }),
    ],
  },
]);
