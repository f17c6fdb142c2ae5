import { defineConfig } from "tsup";
import { base, loadedWith } from "../../tsup.base.ts";

const loop = ["src/engine/run.ts", "src/engine/run-stream.ts"];

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "testing/index": "src/testing/index.ts",
    "client/index": "src/client/agent-client.ts",
  },
  splitting: true,
  esbuildPlugins: [
    loadedWith({
      "src/engine/run.ts": ["src/tools/result-text.ts"],
      "src/client/agent-client.ts": ["src/index.ts"],
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
});
