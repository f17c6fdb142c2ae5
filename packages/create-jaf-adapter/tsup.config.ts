import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: { bin: "src/bin.ts", main: "src/main.ts" },
  format: ["esm"],
  // `bin` loads `main` when Node is new enough.
  external: ["./main.js"],
  // Bundled, so that npm downloads one small package.
  noExternal: ["@clack/prompts"],
});
