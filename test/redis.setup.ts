import { obtainRedis, startLocalRedis } from "./redis-server.ts";
import { type RunningServer, startContainer } from "./servers.ts";

async function startRedis(): Promise<RunningServer> {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
  const given = process.env["TEST_REDIS_URL"];
  if (given !== undefined) return { url: given, stop: async () => {} };
  const binaries = obtainRedis();
  if (binaries !== undefined) return startLocalRedis(binaries);
  const container = startContainer("redis", 6379);
  if (container !== undefined) return { url: `redis://127.0.0.1:${container.port}`, stop: container.stop };
  throw new Error(
    "These tests need a real Redis. Install one (`sudo apt install redis-server`, `brew install redis`), " +
      "or set TEST_REDIS_URL to one that the tests may write to.",
  );
}

/** A vitest `globalSetup`: provides `redisUrl`, a server for this run. */
export default async function setup(project: {
  readonly provide: (key: "redisUrl", value: string) => void;
}): Promise<() => Promise<void>> {
  const server = await startRedis();
  project.provide("redisUrl", server.url);
  return server.stop;
}
