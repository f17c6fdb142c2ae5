import { spawnSync } from "node:child_process";
import { obtainPostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import { bundleProcess } from "../../../test/process-bundle.ts";

/**
 * Counts how far a conversation's write is from the call that asks for it, on a real Postgres. The sources are bundled
 * to one file for this, whose comments say which lines come from which source. `--list` prints the calls and the files.
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
