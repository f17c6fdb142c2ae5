import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseEnv } from "node:util";
import * as memory from "@jaf/memory";
import { createPostgresProvider, adapter as postgres } from "@jaf/memory-postgres";
import { createRedisProvider, adapter as redis } from "@jaf/memory-redis";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { type Drivers, openDrivers } from "./backends.ts";
import { BLOCKS, blockNamed } from "./blocks.ts";
import { runBlock } from "./run.ts";
import { spyConsole } from "./spies.ts";

const TEXT = "1-jaf-memory-system";
const modules = { "functional-agent-framework": { ...memory, createPostgresProvider, createRedisProvider } };

let drivers: Drivers;
beforeEach(async () => {
  drivers = await openDrivers();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await drivers.close();
});

const clients = async () => ({
  redisClient: await drivers.connectRedis(),
  postgresClient: await drivers.connectPostgres(),
});

function stubEnvironment(name: string) {
  const variables = parseEnv(blockNamed(TEXT, name).code);
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
  return variables;
}

describe("the environment variables", () => {
  it.each([
    ["redis-environment", redis],
    ["postgres-environment", postgres],
  ] as const)("open the provider that they describe: %s", async (name, adapter) => {
    const variables = stubEnvironment(name);
    expect({ JAF_MEMORY_TYPE: {}, ...adapter.environment }).toMatchObject(
      Object.fromEntries(Object.keys(variables).map((variable) => [variable, {}])),
    );
    const { provider } = await runBlock(TEXT, "from-environment", { modules, given: await clients() });
    const id = crypto.randomUUID();
    expect(await provider.storeMessages(id, [{ role: "user", content: "Hello" }])).toMatchObject({
      success: true,
    });
    expect(await provider.deleteConversation(id)).toMatchObject({ data: true });
    await provider.close();
    expect(await provider.getConversation(id)).toMatchObject({ error: { provider: adapter.type } });
  });

  it("are validated", async () => {
    const console = spyConsole();
    const { validateMemoryEnvironment } = await runBlock(TEXT, "validate-environment", {
      globals: { console },
    });
    validateMemoryEnvironment();
    stubEnvironment("postgres-environment");
    validateMemoryEnvironment();
    vi.stubEnv("JAF_MEMORY_TYPE", "redis");
    validateMemoryEnvironment();
    expect(console.lines()).toEqual([
      "Memory type: memory",
      "Memory type: postgres",
      "Memory type: redis",
      "Missing environment variable: JAF_REDIS_HOST",
      "Missing environment variable: JAF_REDIS_PORT",
    ]);
  });
});

it("simple providers are created for each backend", async () => {
  const given = await clients();
  const providers = await runBlock(TEXT, "simple", { modules, given });
  for (const name of ["memoryProvider", "redisProvider", "postgresProvider"]) {
    const id = crypto.randomUUID();
    expect(await providers[name].storeMessages(id, [])).toMatchObject({ success: true });
    expect(await providers[name].deleteConversation(id)).toMatchObject({ data: true });
  }
  const { rows } = await given.postgresClient.query("SELECT to_regclass('custom_conversations') AS found");
  expect(rows).toEqual([{ found: "custom_conversations" }]);
});

describe("the shell's commands", () => {
  const shell = BLOCKS.filter(({ language }) => language === "sh");

  it.each(shell)("are such: $name", ({ code }) => {
    execFileSync("bash", ["-n"], { input: code, stdio: ["pipe", "pipe", "pipe"] });
  });

  const redisCli = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map((path) => `${path}/redis-cli`)
    .find(existsSync);

  it.runIf(redisCli)("find Redis", () => {
    const { hostname, port } = new URL(inject("redisUrl"));
    const commands = blockNamed(TEXT, "redis-connectivity")
      .code.replaceAll("-h localhost -p 6379", `-h ${hostname} -p ${port}`)
      .split("\n")
      .filter((line) => line.startsWith("redis-cli"));
    const [pong, info] = commands.map((command) => execFileSync("sh", ["-c", command], { encoding: "utf8" }));
    expect(pong).toBe("PONG\n");
    expect(info).toContain("used_memory:");
  });
});
