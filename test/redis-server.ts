import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RestartableServer, startRestartable } from "./restartable-server.ts";
import { findFolder, installWithoutAsking } from "./servers.ts";

const BINARY_FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const USERS = ["redis", "nobody"];

/** The time limit of scripts, in wall time. After it, the server is busy for other clients. The default of 5 s is too short for a busy machine. */
const SCRIPT_LIMIT = ["lua-time-limit", "60000"];

// A test's data needn't survive a crash of the machine.
export const FAST_REDIS = ["save", "", "appendonly", "no"];

/** Every write is on disk before it is acknowledged. */
export const DURABLE_REDIS = ["save", "", "appendonly", "yes", "appendfsync", "always"];

/** Returns the folder of the machine's `redis-server`. */
export const findRedis = (): string | undefined => findFolder("redis-server", BINARY_FOLDERS);

/** Like {@link findRedis}, but installs Redis if no password is needed. */
export function obtainRedis(): string | undefined {
  const found = findRedis();
  if (found !== undefined) return found;
  return installWithoutAsking({ apt: "redis-server", brew: "redis" }) ? findRedis() : undefined;
}

/** Like {@link obtainRedis}, for tests that kill servers or need several of them. */
export function requireRedis(): string {
  const binaries = obtainRedis();
  if (binaries !== undefined) return binaries;
  throw new Error(
    "These tests start, kill and restart Redis servers of their own, also where TEST_REDIS_URL is given. " +
      "Install one: `sudo apt install redis-server`, `brew install redis`.",
  );
}

const url = (port: number): string => `redis://127.0.0.1:${port}`;

const asArguments = (settings: readonly string[]): string[] =>
  settings.map((text, index) => (index % 2 === 0 ? `--${text}` : text));

/** Starts a server with this machine's binaries. `settings`: alternating names and values. */
export function startLocalRedis(
  binaries: string,
  settings: readonly string[] = FAST_REDIS,
): Promise<RestartableServer> {
  return startRestartable({
    name: "redis",
    users: USERS,
    url,
    program: join(binaries, "redis-server"),
    args: (folder, port) =>
      asArguments(["port", String(port), "bind", "127.0.0.1", "dir", folder, ...SCRIPT_LIMIT, ...settings]),
    ready: /Ready to accept connections/,
    stopSignal: "SIGTERM",
  });
}

/** Starts a Sentinel, which saves its state in its configuration file. `lines`: lines of that file. */
export function startLocalSentinel(binaries: string, lines: readonly string[]): Promise<RestartableServer> {
  return startRestartable({
    name: "sentinel",
    users: USERS,
    url,
    prepare: ({ path, identity }, port) => {
      const file = join(path, "sentinel.conf");
      const text = [`port ${port}`, "bind 127.0.0.1", `dir ${path}`, ...lines, ""].join("\n");
      writeFileSync(file, text);
      if (identity.uid !== undefined && identity.gid !== undefined)
        chownSync(file, identity.uid, identity.gid);
    },
    program: join(binaries, "redis-server"),
    args: (folder) => [join(folder, "sentinel.conf"), "--sentinel"],
    ready: /Sentinel ID is/,
    stopSignal: "SIGTERM",
  });
}
