import {
  createMemoryProvider,
  createMemoryProviderFromEnv,
  createSimpleMemoryProvider,
  type MemoryProvider,
  validateMemoryEnvironment,
  withRetry,
} from "@jaf/memory";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { freshPrefix } from "./support/stores.ts";

let redisClient: ReturnType<typeof createClient>;

beforeAll(async () => {
  redisClient = createClient({ url: inject("redisUrl") });
  await redisClient.connect();
});
afterAll(() => redisClient.close());

async function expectWorks(provider: MemoryProvider): Promise<void> {
  const id = crypto.randomUUID();
  expect(await provider.storeMessages(id, [{ role: "user", content: "Hello" }])).toMatchObject({
    success: true,
  });
  expect(await provider.getConversation(id)).toMatchObject({ data: { conversationId: id } });
  expect(await provider.deleteConversation(id)).toMatchObject({ data: true });
  expect(await provider.close()).toMatchObject({ success: true });
}

describe("createMemoryProvider for Redis", () => {
  it("uses a given client, as documented, and leaves it open", async () => {
    const provider = await createMemoryProvider(
      { type: "redis", host: "localhost", port: 6379, keyPrefix: freshPrefix() },
      { redis: redisClient },
    );
    await expectWorks(withRetry(provider));
    await expectWorks(await createSimpleMemoryProvider("redis", redisClient, { keyPrefix: freshPrefix() }));
    expect(await redisClient.ping()).toBe("PONG");
  });

  it("opens its own connection without a client", async () => {
    await expectWorks(
      await createMemoryProvider({ type: "redis", url: inject("redisUrl"), keyPrefix: freshPrefix() }),
    );
  });

  it("refuses a URL in Postgres's field, names the right field, and doesn't repeat the URL", async () => {
    const config = { type: "redis", connectionString: "redis://u:s3cret@h" } as never;
    const thrown: unknown = await createMemoryProvider(config).catch((error: unknown) => error);
    expect(String(thrown)).toContain("connectionString: expected it in the field url");
    expect(String(thrown)).not.toContain("s3cret");
  });

  it.each(["host and port", "url"])("reads its environment variables: %s", async (by) => {
    const { hostname, port } = new URL(inject("redisUrl"));
    const place =
      by === "url"
        ? { JAF_REDIS_URL: inject("redisUrl"), JAF_REDIS_HOST: "not.used.invalid" }
        : { JAF_REDIS_HOST: hostname, JAF_REDIS_PORT: port, JAF_REDIS_DB: "1", JAF_REDIS_PASSWORD: "" };
    const environment = {
      JAF_MEMORY_TYPE: "redis",
      JAF_REDIS_PREFIX: freshPrefix(),
      JAF_REDIS_TTL: "7200",
      ...place,
    };
    await expectWorks(await createMemoryProviderFromEnv({}, environment));
  });
});

describe("a bad environment", () => {
  it("is an error that names every bad variable, but shows no value", async () => {
    const environment = {
      JAF_MEMORY_TYPE: "redis",
      JAF_REDIS_PORT: "the-port",
      JAF_REDIS_TTL: "-1",
      JAF_REDIS_DB: "1.5",
      JAF_REDIS_URL: "http://user:the-password@host",
      JAF_REDIS_PREFIX: "{",
    };
    const created = createMemoryProviderFromEnv({}, environment);
    await expect(created).rejects.toMatchObject({ name: "MemorySetupError" });
    const message = await created.then(String, (thrown: Error) => thrown.message);
    for (const name of Object.keys(environment).slice(1)) expect(message).toContain(name);
    expect(message).not.toMatch(/the-port|the-password/);
  });

  it("is reported by validateMemoryEnvironment, which also warns of unset variables", async () => {
    const report = await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "redis", JAF_REDIS_PROT: "6379" });
    expect(report.warnings.join("\n")).toMatch(/JAF_REDIS_HOST/);
    expect(report.warnings.join("\n")).toMatch(/JAF_REDIS_PROT/);
    const set = { JAF_MEMORY_TYPE: "redis", JAF_REDIS_URL: "redis://localhost" };
    expect((await validateMemoryEnvironment(set)).warnings).toEqual([]);
  });
});
