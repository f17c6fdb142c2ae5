/**
 * Runs the stress files with vitest: all of them, or those that the arguments name. If `CI` is set, it runs the files for
 * the worst failures and one tenth of the others. The number of commits selects the tenth, so ten consecutive commits run
 * everything. `--all` runs everything in CI, too. Other options are passed to vitest:
 *
 *     pnpm test:stress
 *     pnpm test:stress kit-pglite
 *     CI=1 pnpm test:stress --all
 */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { divideIntoShares, SHARES } from "../test/stress-shares.ts";
import { readTimes } from "../test/times-reporter.ts";

const root = new URL("..", import.meta.url).pathname;

/** The files for the worst failures: lost or doubled messages, turns stranded by a deployment, backends that behave differently, and packages that can't be installed. */
const ALWAYS = [
  "integration/test/stress/crash-servers.stress.ts",
  "integration/test/stress/programs-redis.stress.ts",
  "integration/test/stress/registry.stress.ts",
  "packages/memory-postgres/test/stress/faults.stress.ts",
  "packages/memory-postgres/test/stress/kit-pgbouncer.stress.ts",
  "packages/memory-postgres/test/stress/kit-pglite.stress.ts",
  "packages/memory-redis/test/stress/faults-restart.stress.ts",
  "packages/memory-redis/test/stress/kit-cluster.stress.ts",
  "packages/server/test/stress/deaths.stress.ts",
];

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

function stressFiles(): readonly string[] {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard", "*.stress.ts").split("\n");
  const missing = ALWAYS.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`ALWAYS names files that aren't there: ${missing.join(", ")}.`);
  return files;
}

/** Returns the files of a run in CI, and prints how many are left out. */
function boundedFiles(): readonly string[] {
  const files = stressFiles();
  const rest = files.filter((file) => !ALWAYS.includes(file));
  const share = Number(git("rev-list", "--count", "HEAD")) % SHARES;
  const chosen = divideIntoShares(rest, readTimes(join(root, "test/times/stress.json")))[share] ?? [];
  const leftOut = rest.filter((file) => !chosen.includes(file));
  console.log(
    `${ALWAYS.length} stress files that always run and share ${share} of ${SHARES} of the rest, ${chosen.length} files. ` +
      `Left out, for other commits or \`--all\`:\n${leftOut.map((file) => `  ${file}`).join("\n")}`,
  );
  return [...ALWAYS, ...chosen];
}

const given = process.argv.slice(2).filter((argument) => argument !== "--all");
const namesFiles = given.some((argument) => !argument.startsWith("-"));
const isBounded = Boolean(process.env["CI"]) && !process.argv.includes("--all") && !namesFiles;
const { status } = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    ...["--config", "vitest.stress.config.ts"],
    ...given,
    ...(isBounded ? boundedFiles() : []),
  ],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;
