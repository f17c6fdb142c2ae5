import { defineConfig } from "vitest/config";
import { sourceConditions } from "./vitest.shared.ts";

/** Long crash, load and mutation runs: `pnpm test:stress`. Bounded in count and time, one file at a time. */
export default defineConfig({
  ...sourceConditions,
  test: {
    include: ["{packages,apps,examples}/*/test/stress/*.stress.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
  },
});
