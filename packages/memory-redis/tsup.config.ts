import { defineConfig } from "tsup";
import { base, oneEntryOfMemory } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: { index: "src/index.ts", "user-memory/index": "src/user-memory/index.ts" },
  // Facts need nothing of what conversations do.
  plugins: [oneEntryOfMemory("client", { others: ["adapter"], outputs: /user-memory[\\/]index/ })],
});
