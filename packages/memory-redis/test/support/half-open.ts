import type { MemoryProvider, Message, Result } from "@jaf/memory";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BlackHoleProxy, startBlackHoleProxy } from "../../../../test/black-hole-proxy.ts";
import { redisCommand } from "../../../../test/redis-command.ts";
import { requireRedis, startLocalRedis } from "../../../../test/redis-server.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import type { ConnectionTimes } from "../../src/connection/reconnecting.ts";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { createRedisProvider } from "../../src/index.ts";
import { openConnection } from "../../src/open-store.ts";
import { createRedisUserMemory } from "../../src/user-memory/index.ts";
import { libraries } from "./libraries.ts";
import { freshPrefix } from "./stores.ts";

const messages: readonly Message[] = [{ role: "user", content: "Hello" }];
const created = { createIfMissing: "unowned" } as const;

/** A server that these tests may block and lock. */
let server: RestartableServer;
let proxy: BlackHoleProxy;
const closes: (() => Promise<unknown>)[] = [];

/** Called inside of each `describe`, since a module is loaded once for several test files. */
function useServer(): void {
  beforeAll(async () => {
    server = await startLocalRedis(requireRedis());
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    proxy = await startBlackHoleProxy(server.port);
  });
  afterEach(async () => {
    await Promise.all(closes.splice(0).map((close) => close()));
    await proxy.stop();
  });
}

/** Long enough for a reply on a busy machine, short enough for a test. */
const ANSWER_MS = 750;
const fast: Partial<ConnectionTimes> = { connectTimeoutMs: ANSWER_MS, pingTimeoutMs: ANSWER_MS };

export type Library = keyof typeof libraries;

async function open(library: Library, commandTimeoutMs = ANSWER_MS, times: Partial<ConnectionTimes> = fast) {
  const target = { host: "127.0.0.1", port: proxy.port, db: 0 };
  const { port, close } = await openConnection({
    settings: { ...target, commandTimeoutMs },
    operation: "test",
    libraries: [libraries[library]],
    times,
  });
  const options = { port, keyPrefix: freshPrefix(), minReplicas: 0, commandTimeoutMs, close };
  const provider = defineMemoryProvider(createConversationBackend(options));
  closes.push(() => provider.close());
  return { provider };
}

const append = (provider: MemoryProvider, id = "c"): Promise<Result<void>> =>
  provider.appendMessages(id, messages, {}, created);

const retryable = { error: { _tag: "MemoryConnectionError", retryable: true } };

const expectBack = (provider: MemoryProvider) =>
  expect.poll(async () => (await append(provider)).success, { interval: 10 }).toBe(true);

export const describeOwnConnection = (library: Library): unknown =>
  describe(`a connection of the provider's own, by ${library}`, () => {
    useServer();
    it("is replaced once for all calls if it goes dead under them", async () => {
      const { provider } = await open(library);
      expect(await append(provider)).toMatchObject({ success: true });
      proxy.swallow();
      const results = await Promise.all(Array.from({ length: 30 }, (_, n) => append(provider, `c${n}`)));
      for (const result of results) expect(result).toMatchObject(retryable);
      await expectBack(provider);
      expect(proxy.accepted()).toBe(2);
      await expect.poll(proxy.open).toBe(1);
    });

    it("is pinged and replaced before the next call if it goes dead while idle", async () => {
      const { provider } = await open(library, 5_000, { ...fast, pingAfterMs: 30 });
      expect(await append(provider)).toMatchObject({ success: true });
      proxy.swallow();
      await expect.poll(proxy.accepted, { interval: 10 }).toBe(2);
      await expect.poll(async () => (await provider.healthCheck()).success).toBe(true);
      await expectBack(provider);
      await expect.poll(proxy.open).toBe(1);
    });

    it("recovers after several failures in a row, even if new connections are dead at first", async () => {
      const { provider } = await open(library);
      for (let round = 0; round < 2; round++) {
        proxy.swallowNew(true);
        proxy.swallow();
        const before = proxy.accepted();
        expect(await append(provider)).toMatchObject(retryable);
        await expect.poll(proxy.accepted, { interval: 10 }).toBeGreaterThan(before);
        expect(await append(provider), "immediately").toMatchObject(retryable);
        proxy.swallowNew(false);
        await expectBack(provider);
      }
      await expect.poll(proxy.open).toBe(1);
    });

    it("stores a write once under its idempotency key if its reply was lost", async () => {
      const { provider } = await open(library);
      const write = () => provider.appendMessages("c", messages, {}, { ...created, idempotencyKey: "k" });
      proxy.swallow("replies");
      expect(await write()).toMatchObject(retryable);
      await expect.poll(async () => (await write()).success, { interval: 10 }).toBe(true);
      expect(await provider.getStats()).toMatchObject({ data: { totalMessages: 1 } });
    });

    it("is replaced a few times, not for every call, if the server is blocked for long", async () => {
      const { provider } = await open(library, 100, { connectTimeoutMs: 100 });
      await redisCommand(server.port, "CLIENT", "PAUSE", "600", "ALL");
      const results = await Promise.all(Array.from({ length: 50 }, (_, n) => append(provider, `c${n}`)));
      for (const result of results) expect(result).toMatchObject(retryable);
      await expectBack(provider);
      expect(proxy.accepted()).toBeLessThan(12);
      await expect.poll(proxy.open).toBe(1);
    });

    it("closes immediately while it is dead or being replaced, and leaves nothing open", async () => {
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
      const before = timers();
      const [one, other] = [await open(library, 100), await open(library, 100, { connectTimeoutMs: 60_000 })];
      proxy.swallowNew(true);
      proxy.swallow();
      const accepted = proxy.accepted();
      expect(await append(other.provider)).toMatchObject(retryable);
      await expect.poll(proxy.accepted, { interval: 5 }).toBeGreaterThan(accepted);
      const pending = append(one.provider);
      for (const { provider } of [one, other]) {
        expect(await provider.close()).toMatchObject({ success: true });
        expect(await append(provider)).toMatchObject({ error: { retryable: false } });
      }
      expect(await pending).toMatchObject(retryable);
      await expect.poll(proxy.open).toBe(0);
      expect(timers()).toBeLessThanOrEqual(before);
    });

    it("isn't opened if the server never replies: the setup fails in time", async () => {
      proxy.swallowNew(true);
      await expect(open(library, 250, { connectTimeoutMs: 50 })).rejects.toThrow(/in time/);
      await expect.poll(proxy.open).toBe(0);
    });

    it("says why it can't reconnect", async () => {
      const { provider } = await open(library);
      const admin = await createClient({ url: server.url }).connect();
      await admin.configSet("requirepass", "secret");
      proxy.swallow();
      const failure = async () => {
        const result = await append(provider);
        return result.success ? "" : result.error.message;
      };
      await expect.poll(failure, { interval: 10 }).toMatch(/refused the login/);
      await admin.configSet("requirepass", "");
      await admin.close();
      await expectBack(provider);
    });
  });

export const describeOpened = (): unknown =>
  describe("stores that open their own connection", () => {
    useServer();
    const commandTimeoutMs = 250;

    it.each(["url", "host and port"])("recover: a provider, by %s", async (by) => {
      const { port } = proxy;
      const place = by === "url" ? { url: `redis://127.0.0.1:${port}` } : { host: "127.0.0.1", port };
      const provider = await createRedisProvider({ ...place, keyPrefix: freshPrefix(), commandTimeoutMs });
      closes.push(() => provider.close());
      proxy.swallow();
      expect(await append(provider)).toMatchObject(retryable);
      await expectBack(provider);
    });

    it("recover: user memory", async () => {
      const url = `redis://127.0.0.1:${proxy.port}`;
      const memory = await createRedisUserMemory({ url, keyPrefix: freshPrefix(), commandTimeoutMs });
      closes.push(() => memory.close());
      await memory.remember("u", "Likes tea");
      proxy.swallow();
      await expect(memory.list("u")).rejects.toMatchObject({ code: "unavailable", retryable: true });
      const texts = () =>
        memory.list("u").then(
          (facts) => facts.map(({ fact }) => fact),
          () => [],
        );
      await expect.poll(texts, { interval: 10 }).toEqual(["Likes tea"]);
    });
  });
