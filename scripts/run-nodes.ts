/**
 * Runs the tests under each newer Node that the packages support, which is installed in a temporary folder. By hand, as it takes
 * as long as two runs of the tests; arguments go to vitest:
 *
 *     pnpm test:nodes
 *     pnpm test:nodes packages/core packages/memory/
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const VERSIONS = ["22", "24"];

const root = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "jaf-nodes-"));

/** The program of that version. */
function install(version: string): string {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${version}`;
  const packed = `${name}@npm:node-${system}-${process.arch}@${version}`;
  execFileSync("npm", ["install", "--no-audit", "--no-fund", packed], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, "node_modules", name, "bin", system === "win" ? "node.exe" : "node");
}

try {
  writeFileSync(join(folder, "package.json"), "{}");
  for (const version of VERSIONS) {
    const node = install(version);
    console.log(`Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`);
    // What the tests start by its name is that Node, too.
    const path = [dirname(node), process.env["PATH"]].join(delimiter);
    const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)];
    const { status } = spawnSync(node, args, {
      cwd: root,
      env: { ...process.env, PATH: path },
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
