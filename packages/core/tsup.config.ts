import { defineConfig } from "tsup";
import { base, loadedAtOnce, loadedWith, web } from "../../tsup.base.ts";

const loop = ["src/engine/run.ts", "src/engine/run-stream.ts"];

export default defineConfig([
  {
    ...base,
    entry: { index: "src/index.ts", "testing/index": "src/testing/index.ts" },
    clean: ["!web/**"],
    plugins: [
      {
        name: "one-entry-of-memory",
        // `turns` has all of the others: two files less to find.
        renderChunk: (code, { map = null }) => ({
          code: code.replaceAll(/"@jaf\/memory\/(engine|digest)"/g, '"@jaf/memory/turns"'),
          map,
        }),
      },
    ],
    esbuildPlugins: [loadedAtOnce("src/engine/load-parts.ts", "src/interruption/sort-calls.ts")],
  },
  {
    ...web,
    // The client has a file of its own, so that whoever only runs agents needs none of it.
    entry: { index: "src/index.ts", client: "src/client/agent-client.ts" },
    esbuildPlugins: [
      loadedWith({
        "src/engine/run.ts": ["src/tools/result-text.ts"],
        "src/client/agent-client.ts": ["src/index.ts"],
        "src/engine/stored-part.ts": loop,
        "src/context/context-part.ts": [
          ...loop,
          "src/engine/sent-continuation.ts",
          "src/engine/check-memory-config.ts",
          "src/memory/end-cache.ts",
          "src/memory/metadata.ts",
          "src/memory/to-result.ts",
        ],
        "src/interruption/judge-calls.ts": loop,
      }),
    ],
  },
]);
