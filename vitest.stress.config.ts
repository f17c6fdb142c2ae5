import { defineConfig } from "vitest/config";
import { TimesReporter } from "./test/times-reporter.ts";
import { sourceConditions } from "./vitest.shared.ts";

/** Long crash, load and mutation runs, and the kits on more set-ups of the same backends: `pnpm test:stress`. Bounded in count and time. */
export default defineConfig({
  ...sourceConditions,
  test: {
    include: ["{packages,apps,examples}/*/test/stress/*.stress.ts", "integration/test/stress/*.stress.ts"],
    reporters: ["default", new TimesReporter("test/times/stress.json")],
    globalSetup: ["postgres", "redis", "redis-cluster"].map((server) => `test/${server}.setup.ts`),
    // Those that kill or stop a server start one of their own.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
