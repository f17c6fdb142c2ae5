import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../test/postgres-server.ts";
import { findRedis } from "../../test/redis-server.ts";

function versionOf(folder: string | undefined, program: string): string {
  if (folder === undefined) return "none";
  const said = execFileSync(join(folder, program), ["--version"], { encoding: "utf8" });
  return /\d+(\.\d+)+/.exec(said)?.[0] ?? "unknown";
}

/** The machine, which determines the absolute figures. */
export function describeMachine(): string {
  const cores = cpus();
  return [
    `${cores.length} cores (${cores[0]?.model.trim() ?? "unknown"})`,
    `${process.platform} ${process.arch}`,
    `Node ${process.versions.node}`,
    `Redis ${versionOf(findRedis(), "redis-server")}`,
    `Postgres ${versionOf(findPostgres(), "postgres")}`,
  ].join(", ");
}

/** Returns the load of the last minute if other processes are likely to distort the figures. */
export function disturbingLoad(): number | undefined {
  const [load = 0] = loadavg();
  return load > cpus().length / 2 ? load : undefined;
}
