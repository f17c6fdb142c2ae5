import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: { main: "src/main.ts" },
  format: ["esm"],
  // Bundled, so that npm downloads one small package.
  noExternal: ["@clack/prompts"],
});
