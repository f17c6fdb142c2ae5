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

const BINARY_FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

export const findRedis = (): string | undefined => findFolder("redis-server", BINARY_FOLDERS);

// A test's data need not survive the machine.
const FAST = ["save", "", "appendonly", "no"];

/** A server of this machine's binaries, on a free port and in a temporary folder. `settings`: names and values in turn. */
export async function startLocalRedis(
  binaries: string,
  settings: readonly string[] = FAST,
): Promise<RunningServer> {
  const { path, identity, remove } = createUnprivilegedFolder("redis", ["redis", "nobody"]);
  try {
    const port = await freePort();
    const all = ["port", String(port), "bind", "127.0.0.1", "dir", path, ...settings];
    const args = all.map((text, index) => (index % 2 === 0 ? `--${text}` : text));
    const child = await spawnServer(`${binaries}/redis-server`, args, {
      identity,
      ready: /Ready to accept connections/,
    });
    const stop = async () => {
      await stopServer(child, "SIGTERM");
      remove();
    };
    return { url: `redis://127.0.0.1:${port}`, stop };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

async function startRedis(): Promise<RunningServer> {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
  const given = process.env["TEST_REDIS_URL"];
  if (given !== undefined) return { url: given, stop: async () => {} };
  let binaries = findRedis();
  if (binaries === undefined && installWithoutAsking({ apt: "redis-server", brew: "redis" })) {
    binaries = findRedis();
  }
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
