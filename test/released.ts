import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type PackedPackage, packPackages } from "../scripts/pack.ts";
import { poll } from "./polling.ts";
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
export const releasedPackages = async (): Promise<readonly PackedPackage[]> => packagesIn(await release());

/** Starts a registry that has our packages. */
export async function startReleasedRegistry(): Promise<ReleasedRegistry> {
  const folder = await release();
  return { ...(await startRegistry(join(folder, "storage"))), packages: await packagesIn(folder) };
}

const packagesIn = async (folder: string): Promise<readonly PackedPackage[]> =>
  JSON.parse(await readFile(join(folder, "packages.json"), "utf8"));

/** Returns the folder with the packages and the storage of a registry that has them. */
async function release(): Promise<string> {
  const unlock = await lock();
  try {
    // A file may vanish while Git reads it.
    const folder = join(CACHE, await poll("Git's hash of the files", treeOfWorkingCopy));
    if (!existsSync(join(folder, "packages.json"))) await publishInto(folder);
    return folder;
  } finally {
    unlock();
  }
}

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

async function publishInto(folder: string): Promise<void> {
  await removeUnused();
  // The build leaves files of deleted sources where it finds its result in a cache.
  for (const name of await readdir(join(root, "packages")))
    await rm(join(root, "packages", name, "dist"), { recursive: true, force: true });
  await run("npx", ["--yes", "pnpm@12.21.0", "build"], { cwd: root });
  const packages = await packPackages(root, join(folder, "tarballs"));
  const registry = await startRegistry();
  try {
    await registry.publish(packages.map(({ tarball }) => tarball));
    await cp(registry.storage, join(folder, "storage"), { recursive: true });
    // Last, so a folder that has it is whole.
    await writeFile(join(folder, "packages.json"), JSON.stringify(packages));
  } finally {
    await registry.stop();
  }
}

const UNUSED_AFTER_MS = 24 * 60 * 60_000;

/** Another file of the same run may still use a folder of an earlier state. */
async function removeUnused(): Promise<void> {
  for (const name of existsSync(CACHE) ? await readdir(CACHE) : []) {
    const { mtimeMs } = await stat(join(CACHE, name));
    if (Date.now() - mtimeMs > UNUSED_AFTER_MS) await rm(join(CACHE, name), { recursive: true });
  }
}

const LOCK_POLL_MS = 200;
/** Longer than a build on a busy machine. */
const LOCK_LIMIT_MS = 15 * 60_000;

/** Resolves when no other process has the lock. It is a port of this checkout, which the system frees with the process. */
async function lock(): Promise<() => void> {
  const port = 9_000 + (createHash("sha256").update(root).digest().readUInt16BE() % 1_000);
  const server = createServer();
  for (const deadline = Date.now() + LOCK_LIMIT_MS; Date.now() < deadline; await sleep(LOCK_POLL_MS))
    if (await listens(server, port)) return () => void server.close();
  throw new Error(
    `Port ${port} is taken, by which the tests build one after another. Free it, e.g. end an old run.`,
  );
}

async function listens(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return true;
  } catch {
    return false;
  }
}
