import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";

export default defineConfig({
  ...base,
  entry: {
    index: "src/index.ts",
    adapter: "src/adapter.ts",
    internal: "src/internal.ts",
    "history/index": "src/history/index.ts",
    "testing/index": "src/testing/index.ts",
    "runtime/node-digest": "src/runtime/node-digest.ts",
    "runtime/web-digest": "src/runtime/web-digest.ts",
    // Files of their own, which bundlers leave out of what doesn't use them: their patterns are made when they are loaded.
    "text/holds-secret": "src/text/holds-secret.ts",
    "text/secrets": "src/text/secrets.ts",
    "text/wrap-in-tag": "src/text/wrap-in-tag.ts",
    "config/node-packages": "src/config/node-packages.ts",
    "config/web-packages": "src/config/web-packages.ts",
  },
  // The entries share classes and registries: each must be there once.
  splitting: true,
  // What the package's `imports` name is chosen where it is loaded.
  external: ["vitest", /^#/],
});
