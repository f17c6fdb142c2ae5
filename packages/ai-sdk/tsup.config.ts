import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    "memory/index": "src/memory/index.ts",
    "user-memory/index": "src/user-memory/index.ts",
  },
});
