import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({ ...base, shims: true, entry: { index: "src/index.ts" } });
