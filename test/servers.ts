import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Servers for tests: found on the machine, installed if no password is needed, or run in a container. */

export interface RunningServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const isRoot = (): boolean => process.getuid?.() === 0;

// Below the ports that systems use for outgoing connections, so a restarted server finds its port free.
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await canListen(port)) return port;
  }
  throw new Error("no free port");
}

function foldersOf(pattern: string): string[] {
  const [before, after] = pattern.split("*");
  if (before === undefined || after === undefined) return [pattern];
  const slash = before.lastIndexOf("/");
  const [parent, prefix] = [before.slice(0, slash), before.slice(slash + 1)];
  if (!existsSync(parent)) return [];
  const newestFirst = readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return newestFirst.map((name) => `${parent}/${name}${after}`);
}

/** Returns the first folder with the program. A folder can have one `*`, for which the newest version comes first. */
export function findFolder(program: string, folders: readonly string[]): string | undefined {
  const path = (process.env["PATH"] ?? "").split(delimiter);
  return [...folders.flatMap(foldersOf), ...path].find((folder) => existsSync(join(folder, program)));
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Installs with a package manager that needs no password. Returns whether that succeeded. */
export function installWithoutAsking(packages: { readonly apt: string; readonly brew: string }): boolean {
  if (isRoot() && succeeds("apt-get", ["--version"])) {
    process.env["DEBIAN_FRONTEND"] ??= "noninteractive";
    const install = ["install", "-y", "-qq", "--no-install-recommends", packages.apt];
    return succeeds("apt-get", install) || (succeeds("apt-get", ["update"]) && succeeds("apt-get", install));
  }
  return succeeds("brew", ["--version"]) && succeeds("brew", ["install", "--quiet", packages.brew]);
}

/** Starts one service of the repository's `compose.yaml`; `undefined` without a container engine. */
export function startContainer(
  service: string,
  port: number,
): { readonly port: number; readonly stop: () => Promise<void> } | undefined {
  const file = fileURLToPath(new URL("../compose.yaml", import.meta.url));
  const engine = ["docker", "podman"].find((name) => succeeds(name, ["compose", "version"]));
  if (engine === undefined) return undefined;
  const compose = ["compose", "-f", file, "-p", `jaf-test-${service}-${process.pid}`];
  const down = async () => void succeeds(engine, [...compose, "down", "--volumes"]);
  if (!succeeds(engine, [...compose, "up", "--detach", "--wait", service])) {
    void down();
    return undefined;
  }
  const published = execFileSync(engine, [...compose, "port", service, String(port)], { encoding: "utf8" });
  return { port: Number(published.trim().split(":").at(-1)), stop: down };
}

export interface UnprivilegedFolder {
  readonly path: string;
  /** For `spawn`: servers refuse to run as root. */
  readonly identity: { readonly cwd: string; readonly uid?: number; readonly gid?: number };
  readonly remove: () => void;
}

/** Creates a temporary folder and, for root, selects an unprivileged user as its owner. */
export function createUnprivilegedFolder(name: string, users: readonly string[]): UnprivilegedFolder {
  const path = mkdtempSync(join(tmpdir(), `jaf-${name}-`));
  const remove = () => rmSync(path, { recursive: true, force: true });
  if (!isRoot()) return { path, identity: { cwd: path }, remove };
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  const account = users
    .map((user) => accounts.find((line) => line.startsWith(`${user}:`))?.split(":"))
    .find((fields) => fields !== undefined);
  const [uid, gid] = [Number(account?.[2]), Number(account?.[3])];
  chownSync(path, uid, gid);
  return { path, identity: { cwd: path, uid, gid }, remove };
}

const running = new Set<ChildProcess>();

/** Ends the server when this process ends. */
function guard(child: ChildProcess): void {
  if (running.size === 0) process.once("exit", killRunning);
  running.add(child);
  child.once("exit", () => {
    running.delete(child);
    if (running.size === 0) process.off("exit", killRunning);
  });
}

function killRunning(): void {
  for (const child of running) child.kill("SIGKILL");
}

const READY_WITHIN_MS = 60_000;

/** Resolves when the server reports on standard output or error that it is ready. Rejects after one minute. */
export async function spawnServer(
  program: string,
  args: readonly string[],
  options: { readonly identity: UnprivilegedFolder["identity"]; readonly ready: RegExp },
): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options.identity, stdio: ["ignore", "pipe", "pipe"] });
  guard(child);
  let output = "";
  let deadline: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString();
      if (options.ready.test(output)) resolve();
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)));
    deadline = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${program} wasn't ready within ${READY_WITHIN_MS / 1000} s:\n${output}`));
    }, READY_WITHIN_MS);
  }).finally(() => clearTimeout(deadline));
  for (const stream of [child.stdout, child.stderr]) {
    stream.removeAllListeners("data");
    stream.resume(); // Otherwise a server with much output blocks on a full pipe.
  }
  return child;
}

export async function stopServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
