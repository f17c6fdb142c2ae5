import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type RestartableServer, startRestartable } from "./restartable-server.ts";
import { findFolder, installWithoutAsking } from "./servers.ts";

const BINARY_FOLDERS = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/opt/homebrew/opt/postgresql@*/bin",
  "/usr/local/opt/postgresql@*/bin",
  "/Applications/Postgres.app/Contents/Versions/latest/bin",
];

// A test's data needn't survive a crash of the machine.
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"];

/**
 * The operating system has every write before it is acknowledged, so it survives the kill of any process. A sync to the disk
 * would only matter for a crash of the machine, and makes each start after a kill slow, because all files are synced first.
 */
export const DURABLE_POSTGRES = ["fsync=off", "max_connections=200"];

/** Returns the folder of the machine's Postgres programs. */
export const findPostgres = (): string | undefined => findFolder("initdb", BINARY_FOLDERS);

/** Like {@link findPostgres}, but installs Postgres if no password is needed. */
export function obtainPostgres(): string | undefined {
  const found = findPostgres();
  if (found !== undefined) return found;
  return installWithoutAsking({ apt: "postgresql", brew: "postgresql@17" }) ? findPostgres() : undefined;
}

/** Like {@link obtainPostgres}, for tests that kill servers. */
export function requirePostgres(): string {
  const binaries = obtainPostgres();
  if (binaries !== undefined) return binaries;
  throw new Error(
    "These tests start, kill and restart a Postgres server of their own, also where TEST_PG_URL is given. " +
      "Install one: `sudo apt install postgresql`, `brew install postgresql@17`.",
  );
}

/** Starts a server with this machine's binaries, on a free port and in a temporary folder. `settings`: `name=value`. */
export function startLocalPostgres(
  binaries: string,
  settings: readonly string[] = FAST,
): Promise<RestartableServer> {
  const all = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
  return startRestartable({
    name: "pg",
    users: ["postgres", "nobody"],
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    prepare: ({ path, identity }) => {
      const init = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
      execFileSync(join(binaries, "initdb"), ["-D", join(path, "data"), ...init], {
        ...identity,
        stdio: "pipe",
      });
    },
    program: join(binaries, "postgres"),
    args: (folder, port) => [
      ...["-D", join(folder, "data"), "-p", String(port)],
      ...all.flatMap((setting) => ["-c", setting]),
    ],
    ready: /ready to accept connections/,
    stopSignal: "SIGINT",
  });
}
