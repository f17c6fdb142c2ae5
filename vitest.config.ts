import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { TimesReporter } from "./test/times-reporter.ts";
import { sourceConditions } from "./vitest.shared.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

const folders = [
  ...["packages", "apps", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  ),
  "integration",
].filter((folder) => existsSync(join(root, folder, "package.json")));

const NO_SERVERS: readonly string[] = [];
const ONLY_REDIS: readonly string[] = ["redis"];
const POSTGRES: readonly string[] = ["postgres"];

/** The servers that the tests of a folder share, if they need any. */
const servers: Readonly<Record<string, readonly string[]>> = {
  "packages/memory-postgres/test": POSTGRES,
  "packages/queue-pg-boss/test": POSTGRES,
  "packages/memory-redis/test": ["redis", "redis-cluster", "redis-sentinel"],
  "packages/agents/test": ONLY_REDIS,
  "packages/queue-bullmq/test": ONLY_REDIS,
  "integration/test": ["postgres", "redis"],
};

/**
 * One project for all folders that need the same servers, because only files of one project share a process, and each
 * process loads the sources again. It is named after its servers.
 */
function projectsOf(all: readonly string[]): TestProjectInlineConfiguration[] {
  const needed = [...new Set(all.map((folder) => servers[folder] ?? NO_SERVERS))];
  return needed.map((setups) => ({
    ...sourceConditions,
    root,
    test: {
      name: setups.join("+") || "no server",
      include: all
        .filter((folder) => (servers[folder] ?? NO_SERVERS) === setups)
        .map((folder) => `${folder}/**/*.test.ts`),
      globalSetup: setups.length === 0 ? [] : ["test/servers.setup.ts"],
      // Test files share a process, which loads the sources once. No module here has its own state.
      isolate: false,
      // Long, because a busy machine isn't a failure: creating a PGlite database, 5 s of work, has taken a minute there.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 15_000 } },
    },
  }));
}

/** The locations of imports in a compiled source also depend on these files. */
function hashOfManifests(): string {
  const hash = createHash("sha256");
  for (const folder of folders) hash.update(readFileSync(join(root, folder, "package.json")));
  return hash.digest("hex").slice(0, 16);
}

export default defineConfig({
  test: {
    reporters: ["default", new TimesReporter("test/times/test.json")],
    // The tests mostly wait for servers, processes and clocks.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: join(root, "node_modules/.cache/vitest-modules", hashOfManifests()),
    },
    projects: projectsOf([...folders.map((folder) => `${folder}/test`), "test"]),
  },
});
