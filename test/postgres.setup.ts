import { obtainPostgres, startLocalPostgres } from "./postgres-server.ts";
import { type RunningServer, startContainer } from "./servers.ts";

async function startPostgres(): Promise<RunningServer> {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
  const given = process.env["TEST_PG_URL"];
  if (given !== undefined) return { url: given, stop: async () => {} };
  const binaries = obtainPostgres();
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

/** A vitest `globalSetup`: provides `pgUrl`, a server for this run whose user can create schemas. */
export default async function setup(project: {
  readonly provide: (key: "pgUrl", value: string) => void;
}): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("pgUrl", server.url);
  return server.stop;
}
