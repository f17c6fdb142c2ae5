import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
  createUnprivilegedFolder,
  findFolder,
  freePort,
  installWithoutAsking,
  type RunningServer,
  spawnServer,
  startContainer,
  stopServer,
} from "./servers.ts";

const BINARY_FOLDERS = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/opt/homebrew/opt/postgresql@*/bin",
  "/usr/local/opt/postgresql@*/bin",
  "/Applications/Postgres.app/Contents/Versions/latest/bin",
];

// A test's data need not survive the machine.
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"];

/** A server of this machine's binaries, on a free port and in a temporary folder. `settings`: `name=value`. */
export async function startLocalPostgres(
  binaries: string,
  settings: readonly string[] = FAST,
): Promise<RunningServer> {
  const { path, identity, remove } = createUnprivilegedFolder("pg", ["postgres", "nobody"]);
  try {
    const data = join(path, "data");
    const init = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
    execFileSync(join(binaries, "initdb"), init, { ...identity, stdio: "pipe" });
    const port = await freePort();
    const all = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
    const child = await spawnServer(
      join(binaries, "postgres"),
      ["-D", data, "-p", String(port), ...all.flatMap((setting) => ["-c", setting])],
      { identity, ready: /ready to accept connections/ },
    );
    const stop = async () => {
      await stopServer(child, "SIGINT");
      remove();
    };
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

export const findPostgres = (): string | undefined => findFolder("initdb", BINARY_FOLDERS);

async function startPostgres(): Promise<RunningServer> {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
  const given = process.env["TEST_PG_URL"];
  if (given !== undefined) return { url: given, stop: async () => {} };
  let binaries = findPostgres();
  if (binaries === undefined && installWithoutAsking({ apt: "postgresql", brew: "postgresql@17" })) {
    binaries = findPostgres();
  }
  if (binaries !== undefined) return startLocalPostgres(binaries);
  const container = startContainer("postgres", 5432);
  if (container !== undefined) {
    const url = `postgres://postgres:testpass@127.0.0.1:${container.port}/jaf_memory`;
    return { url, stop: container.stop };
  }
  throw new Error(
    "These tests need a real Postgres. Install one (`sudo apt install postgresql`, `brew install postgresql@17`), " +
      "or set TEST_PG_URL to one whose user may create schemas.",
  );
}

/** A vitest `globalSetup`: provides `pgUrl`, a server for this run whose user may create schemas. */
export default async function setup(project: {
  readonly provide: (key: "pgUrl", value: string) => void;
}): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("pgUrl", server.url);
  return server.stop;
}
