import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RestartableServer, startRestartable } from "./restartable-server.ts";
import { findFolder, installWithoutAsking } from "./servers.ts";

const BINARY_FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const USERS = ["redis", "nobody"];

/** In wall time, and for others the server is busy from then on: 5 s by default, which a busy machine can take from it. */
const SCRIPT_LIMIT = ["lua-time-limit", "60000"];

// A test's data need not survive the machine.
export const FAST_REDIS = ["save", "", "appendonly", "no"];

/** Every write is on disk before it is acknowledged. */
export const DURABLE_REDIS = ["save", "", "appendonly", "yes", "appendfsync", "always"];

/** The folder of the machine's `redis-server`. */
export const findRedis = (): string | undefined => findFolder("redis-server", BINARY_FOLDERS);

/** As {@link findRedis}; installs it where that needs no question. */
export function obtainRedis(): string | undefined {
  const found = findRedis();
  if (found !== undefined) return found;
  return installWithoutAsking({ apt: "redis-server", brew: "redis" }) ? findRedis() : undefined;
}

/** As {@link obtainRedis}, for tests that kill servers or need several of them. */
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

/** A server of this machine's binaries. `settings`: names and values in turn. */
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

/** A Sentinel; it writes what it learns to its configuration file. `lines` are lines of that file. */
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
