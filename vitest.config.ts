import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { TimesReporter } from "./test/times-reporter.ts";
import { sourceConditions } from "./vitest.shared.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

const folders = [
  ...["packages", "apps", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  ),
  "integration",
].filter((folder) => existsSync(join(root, folder, "package.json")));

/** The servers that a project's tests share. */
const servers: Readonly<Record<string, readonly string[]>> = {
  "memory-postgres": ["postgres"],
  agents: ["redis"],
  "memory-redis": ["redis", "redis-cluster", "redis-sentinel"],
  integration: ["postgres", "redis"],
};

/** A folder's project, named like the folder. All have one root and one configuration, so that a source is compiled once. */
function projectOf(folder: string): TestProjectInlineConfiguration {
  const name = basename(folder);
  return {
    ...sourceConditions,
    root,
    test: {
      name,
      dir: join(root, folder),
      include: ["test/**/*.test.ts"],
      globalSetup: servers[name]?.map((server) => `test/${server}.setup.ts`) ?? [],
      // Test files share a process, which loads the sources once; no module here has state of its own.
      isolate: false,
      // Generous, since a busy machine is no failure.
      testTimeout: 30_000,
      hookTimeout: 30_000,
      expect: { poll: { timeout: 15_000 } },
    },
  };
}

/** What a compiled source says of where its imports are depends on these beside itself. */
function hashOfManifests(): string {
  const hash = createHash("sha256");
  for (const folder of folders) hash.update(readFileSync(join(root, folder, "package.json")));
  return hash.digest("hex").slice(0, 16);
}

export default defineConfig({
  test: {
    reporters: ["default", new TimesReporter("test/times/test.json")],
    // The tests wait for servers, processes and clocks more than they compute.
    maxWorkers: 3,
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: join(root, "node_modules/.cache/vitest-modules", hashOfManifests()),
    },
    projects: folders.map(projectOf),
  },
});
