import { defineConfig } from "vitest/config";
import { sourceConditions } from "./vitest.shared.ts";

/** Long crash, load and mutation runs, and the kit on more set-ups of the same backends: `pnpm test:stress`. Bounded in count and time, one file at a time. */
export default defineConfig({
  ...sourceConditions,
  test: {
    include: ["{packages,apps,examples}/*/test/stress/*.stress.ts", "integration/test/stress/*.stress.ts"],
    typecheck: {
      enabled: true,
      include: ["packages/*/test/**/*.test-d.ts"],
      tsconfig: "tsconfig.json",
    },
    globalSetup: ["postgres", "redis", "redis-cluster"].map((server) => `test/${server}.setup.ts`),
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
