import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type PackedPackage, packPackages } from "../scripts/pack.ts";
import { type Registry, startRegistry } from "./registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(root, "node_modules/.cache/released");

const run = promisify(execFile);

export interface ReleasedRegistry extends Registry {
  /** Our packages, which the registry has. */
  readonly packages: readonly PackedPackage[];
}

/**
 * Our packages, packed as they are published. They are built and packed once for each state of the working tree, also if
 * several processes ask.
 */
export async function releasedPackages(): Promise<readonly PackedPackage[]> {
  const tree = await treeOfWorkingCopy();
  if (!isReleased(tree)) await locked(async () => (isReleased(tree) ? undefined : release(tree)));
  return JSON.parse(await readFile(join(CACHE, "packages.json"), "utf8"));
}

/** Starts a registry that has our packages. */
export async function startReleasedRegistry(): Promise<ReleasedRegistry> {
  const packages = await releasedPackages();
  return { ...(await startRegistry(join(CACHE, "storage"))), packages };
}

const isReleased = (tree: string): boolean =>
  existsSync(join(CACHE, "tree")) && readFileSync(join(CACHE, "tree"), "utf8") === tree;

/** Git's hash of all files that it doesn't ignore, with changes that aren't committed. */
async function treeOfWorkingCopy(): Promise<string> {
  const index = join(tmpdir(), `jaf-index-${randomUUID()}`);
  const git = async (...args: readonly string[]) =>
    (await run("git", args, { cwd: root, env: { ...process.env, GIT_INDEX_FILE: index } })).stdout.trim();
  try {
    await git("read-tree", "HEAD");
    await git("add", "--all");
    return await git("write-tree");
  } finally {
    await rm(index, { force: true });
  }
}

async function release(tree: string): Promise<void> {
  await rm(CACHE, { recursive: true, force: true });
  await run("npx", ["--yes", "pnpm@12.21.0", "build"], { cwd: root });
  const packages = await packPackages(root, join(CACHE, "tarballs"));
  const registry = await startRegistry();
  try {
    await registry.publish(packages.map(({ tarball }) => tarball));
    await cp(registry.storage, join(CACHE, "storage"), { recursive: true });
    await writeFile(join(CACHE, "packages.json"), JSON.stringify(packages));
    await writeFile(join(CACHE, "tree"), tree); // Last, so what has it is whole.
  } finally {
    await registry.stop();
  }
}

/** Below the ports that tests take for servers. */
const LOCK_PORT = 9873;
const LOCK_POLL_MS = 200;

/** Calls the function while no other process does. The lock is a port, which a killed process frees, too. */
async function locked(action: () => Promise<void>): Promise<void> {
  const lock = createServer();
  while (!(await listens(lock))) await sleep(LOCK_POLL_MS);
  try {
    await action();
  } finally {
    lock.close();
  }
}

async function listens(server: Server): Promise<boolean> {
  try {
    await once(server.listen(LOCK_PORT, "127.0.0.1"), "listening");
    return true;
  } catch {
    return false;
  }
}
