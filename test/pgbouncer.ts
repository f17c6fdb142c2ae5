import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createUnprivilegedFolder,
  findFolder,
  freePort,
  installWithoutAsking,
  type RunningServer,
  spawnServer,
  stopServer,
} from "./servers.ts";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"];

const findProgram = (): string | undefined => findFolder("pgbouncer", FOLDERS);

/** The path of the program. Installs it if no password is needed. */
function obtainProgram(): string {
  let folder = findProgram();
  if (folder === undefined && installWithoutAsking({ apt: "pgbouncer", brew: "pgbouncer" }))
    folder = findProgram();
  if (folder !== undefined) return join(folder, "pgbouncer");
  throw new Error(
    "These tests need PgBouncer. Install it: `sudo apt install pgbouncer`, `brew install pgbouncer`.",
  );
}

/** Whether this machine's PgBouncer supports prepared statements (since version 1.21). */
export function carriesPreparedStatements(): boolean {
  const version = execFileSync(obtainProgram(), ["--version"], { encoding: "utf8" });
  const [, major, minor] = version.match(/(\d+)\.(\d+)/) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 21);
}

const configuration = (server: URL, settings: Readonly<Record<string, string | number>>): string => {
  const { hostname, port, username, password, pathname } = server;
  const target = { host: hostname, port, user: username, ...(password === "" ? {} : { password }) };
  const database = Object.entries(target).map(([name, value]) => `${name}=${decodeURIComponent(value)}`);
  return [
    "[databases]",
    `${pathname.slice(1)} = ${database.join(" ")}`,
    "[pgbouncer]",
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ].join("\n");
};

/** Starts a PgBouncer in transaction mode for the server of this URL, with few connections to it. */
export async function startPgBouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<RunningServer> {
  const program = obtainProgram();
  const { path, identity, remove } = createUnprivilegedFolder("pgbouncer", ["postgres", "nobody"]);
  const url = new URL(serverUrl);
  const port = await freePort();
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    default_pool_size: 5,
    max_client_conn: 500,
    ...settings,
  };
  try {
    const file = join(path, "pgbouncer.ini");
    writeFileSync(file, configuration(url, all), { mode: 0o644 });
    const child = await spawnServer(program, [file], { identity, ready: /process up/ });
    const stop = async () => {
      await stopServer(child, "SIGTERM");
      remove();
    };
    return { url: `postgres://any@127.0.0.1:${port}${url.pathname}`, stop };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}
