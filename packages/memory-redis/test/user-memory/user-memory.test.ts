import { MemorySetupError } from "@jaf/memory";
import { defineUserMemory } from "@jaf/user-memory";
import { createClient } from "redis";
import { describe, expect, inject, it } from "vitest";
import { createRedisUserMemory, createRedisUserMemoryBackend } from "../../src/user-memory/index.ts";
import { freshPrefix } from "../support/stores.ts";

it("opens its own connection from the configuration, and closes it", async () => {
  const { hostname, port } = new URL(inject("redisUrl"));
  const keyPrefix = freshPrefix();
  const memory = await createRedisUserMemory({ host: hostname, port: Number(port), keyPrefix });
  const fact = await memory.remember("u", "Likes tea");
  await memory.close();
  await expect(memory.list("u")).rejects.toMatchObject({ code: "unavailable", retryable: false });
  const again = await createRedisUserMemory({ url: inject("redisUrl"), keyPrefix });
  expect(await again.list("u")).toEqual([fact]);
  await again.close();
});

it("accepts the options of every user memory besides its own", async () => {
  const keyPrefix = freshPrefix();
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => (/tea|drink/.test(text) ? [1, 0.1] : [0.1, 1]));
  const memory = await createRedisUserMemory({
    ...{ url: inject("redisUrl"), keyPrefix, embed },
    ...{ limits: { maxFacts: 2 }, auditKey: "a secret of 16 letters" },
  });
  await memory.remember("u", "Likes tea");
  await memory.remember("u", "Lives in Oslo");
  expect(await memory.recall("u", "a drink", { limit: 1 })).toMatchObject([{ fact: "Likes tea" }]);
  await expect(memory.remember("u", "Likes milk")).rejects.toMatchObject({ code: "full" });
  await memory.close();
});

it.each([
  [{ ttl: 5 }, /ttl/],
  [{ connectionString: "redis://h" }, /connectionString: expected it in the field url\./],
  [{ keyPrefix: "{" }, /keyPrefix/],
  [{ embed: "no function" }, /embed/],
  [{ limits: { maxFacts: 0 } }, /maxFacts/],
  [{ auditKey: "short" }, /auditKey/],
])("refuses %j before it connects, and names the field", async (config, field) => {
  const created = createRedisUserMemory({ ...config, port: 1 } as never);
  await expect(created).rejects.toThrow(TypeError);
  await expect(created).rejects.toThrow(field);
});

it("rejects with a MemorySetupError if no server can be reached or the client can't be used", async () => {
  const unreachable = createRedisUserMemory({ port: 1 });
  await expect(unreachable).rejects.toThrow(MemorySetupError);
  await expect(unreachable).rejects.toMatchObject({ error: { operation: "createRedisUserMemory" } });
  await expect(createRedisUserMemory({}, createClient())).rejects.toThrow(/not connected.*connect\(\)/);
  await expect(createRedisUserMemory({}, {} as never)).rejects.toThrow(TypeError);
});

it("accepts an instance of a class as a configuration, and calls its methods on it", async () => {
  class Config {
    readonly url = inject("redisUrl");
    readonly keyPrefix = freshPrefix();
    readonly embedded: string[] = [];

    async embed(texts: readonly string[]) {
      this.embedded.push(...texts);
      return texts.map(() => [1, 0]);
    }
  }
  const config = new Config();
  const memory = await createRedisUserMemory(config);
  await memory.remember("u", "Likes tea");
  expect(config.embedded).toEqual(["Likes tea"]);
  await memory.close();
});

describe("the raw backend", () => {
  it("supports the store, on its own connection or on a given client", async () => {
    const [url, keyPrefix] = [inject("redisUrl"), freshPrefix()];
    const own = defineUserMemory(await createRedisUserMemoryBackend({ url, keyPrefix }));
    const fact = await own.remember("u", "Likes tea");
    await own.close();
    await expect(own.list("u")).rejects.toMatchObject({ code: "unavailable", retryable: false });
    const client = await createClient({ url }).connect();
    const given = defineUserMemory(await createRedisUserMemoryBackend({ keyPrefix }, client));
    expect(await given.list("u")).toEqual([fact]);
    await given.close();
    expect(await client.ping()).toBe("PONG");
    await client.close();
  });

  it.each([
    [{ keyPrefix: "{" }, /keyPrefix/],
    [{ ttl: 5 }, /ttl/],
    [{ connectionString: "redis://h" }, /connectionString: expected it in the field url\./],
    [{ embed: async () => [] }, /embed/],
  ])("refuses %j before it connects, and names the field", async (config, field) => {
    const created = createRedisUserMemoryBackend({ ...config, port: 1 } as never);
    await expect(created).rejects.toThrow(TypeError);
    await expect(created).rejects.toThrow(field);
  });

  it("rejects with a MemorySetupError that names it if no server can be reached", async () => {
    const unreachable = createRedisUserMemoryBackend({ port: 1 });
    await expect(unreachable).rejects.toThrow(MemorySetupError);
    await expect(unreachable).rejects.toMatchObject({ error: { operation: "createRedisUserMemoryBackend" } });
  });
});
