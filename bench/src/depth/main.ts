import { spawnSync } from "node:child_process";
import { obtainPostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import { bundleProcess } from "../../../test/process-bundle.ts";

/**
 * Counts the calls between a request and its write to the conversation, on a real Postgres. For this, the sources are
 * bundled to one file with comments that map its lines to sources. `--list` prints the calls and the files.
 */
const binaries = obtainPostgres();
if (binaries === undefined) throw new Error("Counting needs Postgres: `sudo apt install postgresql`.");
const server = await startLocalPostgres(binaries);
try {
  const bundle = await bundleProcess(new URL("./depth-process.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, [bundle, server.url, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  await server.stop();
}
