import type { MemoryErrorUnion, MemoryProvider, Message, Result } from "@jaf/memory";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { redisCommand, redisRole } from "../../../test/redis-command.ts";
import { requireRedis, startLocalRedis } from "../../../test/redis-server.ts";
import type { RestartableServer } from "../../../test/restartable-server.ts";
import { toMemoryError } from "../src/errors.ts";
import { createRedisProvider, type RedisConfig } from "../src/index.ts";
import { openers } from "./support/clients.ts";
import { freshPrefix } from "./support/stores.ts";

const SECRET = "a secret that no error repeats";
const messages: readonly Message[] = [{ role: "user", content: SECRET }];
const [USER, ADMIN] = ["limited", "the-password"];

/** A server that these tests may fill, pause, restart and lock. */
let server: RestartableServer;

beforeAll(async () => {
  server = await startLocalRedis(requireRedis());
});
afterAll(() => server.stop());

async function connect(options: Parameters<typeof createClient>[0], config: RedisConfig = {}) {
  const client = createClient(options);
  client.on("error", () => {});
  await client.connect();
  const provider = await createRedisProvider({ keyPrefix: freshPrefix(), ...config }, client);
  return { client, provider, end: () => client.destroy() };
}

function errorOf(result: Result<unknown>): MemoryErrorUnion {
  if (result.success) return expect.fail("expected a failure");
  const { error } = result;
  expect(JSON.stringify(error)).not.toMatch(new RegExp(`${SECRET}|${ADMIN}`));
  return error;
}

const created = { createIfMissing: "unowned" } as const;

const append = (provider: MemoryProvider) => provider.appendMessages("c", messages, {}, created);

describe("a server that can't serve a call", () => {
  it("returns a retryable error without a write if it is out of memory", async () => {
    const { client, provider, end } = await connect({ url: server.url });
    await client.configSet({ maxmemory: "1", "maxmemory-policy": "noeviction" });
    const error = errorOf(await append(provider));
    expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: true, cause: { code: "OOM" } });
    expect(error.message).toContain("maxmemory");
    await client.configSet("maxmemory", "0");
    expect(await provider.getConversation("c")).toMatchObject({ data: null });
    expect(await append(provider)).toMatchObject({ success: true });
    end();
  });

  it("returns a retryable error if it is a replica, since a failover may be in progress", async () => {
    const { sentinels } = inject("redisSentinel");
    const known = await redisCommand(Number(sentinels[0]?.port), "SENTINEL", "REPLICAS", "jaf");
    const fields = Array.isArray(known) && Array.isArray(known[0]) ? known[0].map(String) : [];
    const port = Number(fields[fields.indexOf("port") + 1]);
    expect(await redisRole(port)).toMatchObject({ role: "replica" });
    const { provider, end } = await connect({ url: `redis://127.0.0.1:${port}` }, { ttl: 10 });
    expect(errorOf(await append(provider))).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
    expect(await provider.getConversation("c"), "reads go on").toMatchObject({ data: null });
    end();
  });

  it("returns an error with a remedy, not retryable, if it is part of a Cluster that the client doesn't know", async () => {
    const { provider, end } = await connect({ url: inject("redisClusterUrls")[0] ?? "" });
    const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
    const results = await Promise.all(ids.map((id) => provider.appendMessages(id, messages, {}, created)));
    const errors = results.filter(({ success }) => !success).map(errorOf);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error.retryable).toBe(false);
      expect(error.message).toMatch(/Cluster client/);
    }
    end();
  });

  it("runs scripts after it has forgotten them, without an error", async () => {
    const { client, provider, end } = await connect({ url: server.url });
    for (let round = 0; round < 3; round++) {
      await client.scriptFlush();
      expect(await append(provider)).toMatchObject({ success: true });
      expect(await provider.getStats()).toMatchObject({ data: { totalMessages: round + 1 } });
    }
    end();
  });

  it("still answers reads if it refuses writes, and their failed repairs do no harm", async () => {
    const { client, provider, end } = await connect({ url: server.url }, { keyPrefix: "refusing:" });
    await provider.appendMessages("c", messages, { userId: "u" }, created);
    const stale = Array.from({ length: 600 }, (_, n) => ({ value: `gone-${n}`, score: 1_000 + n }));
    await client.zAdd("refusing:user:u:conversations", stale);
    await client.configSet("min-replicas-to-write", "1");
    expect(await provider.getStats("u")).toMatchObject({ data: { totalConversations: 1 } });
    expect(await provider.findConversations({ userId: "u" })).toMatchObject({
      data: [{ conversationId: "c" }],
    });
    expect(errorOf(await append(provider))).toMatchObject({ retryable: true });
    await client.configSet("min-replicas-to-write", "0");
    end();
  });

  it("returns an error that isn't retryable if it requires a password", async () => {
    const { client, end } = await connect({ url: server.url });
    await client.configSet("requirepass", ADMIN);
    for (const url of [server.url, server.url.replace("//", "//:wrong@")]) {
      const created = createRedisProvider({ url });
      if (url === server.url) {
        const provider = await created.catch((thrown: unknown) => thrown);
        const error =
          provider instanceof Error
            ? provider.message
            : errorOf(await append(provider as MemoryProvider)).message;
        expect(error).toMatch(/refused the login/);
        if (!(provider instanceof Error)) await (provider as MemoryProvider).close();
      } else await expect(created).rejects.toThrow(/refused the login/);
    }
    await client.configSet("requirepass", "");
    end();
  });

  it("returns an error with a remedy, not retryable, if it denies a right", async () => {
    const admin = await connect({ url: server.url });
    await admin.client.sendCommand(["ACL", "SETUSER", USER, "on", ">pw", "+@all", "-zadd", "~*"]);
    const { provider, end } = await connect({ url: server.url, username: USER, password: "pw" });
    const error = errorOf(await append(provider));
    expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
    expect(error.message).toMatch(/lacks a right/);
    expect(await provider.getConversation("c"), "nothing is half there").toMatchObject({ data: null });
    end();
    admin.end();
  });
});

describe("a connection that fails", () => {
  it.each(["node-redis", "ioredis"])(
    "%s: returns a retryable error if it breaks, and the next call succeeds",
    async (kind) => {
      const client =
        kind === "ioredis"
          ? new Redis(server.url, { maxRetriesPerRequest: 0 })
          : createClient({ url: server.url, disableOfflineQueue: true });
      client.on("error", () => {});
      if (!(client instanceof Redis)) await client.connect();
      const provider = await createRedisProvider({ keyPrefix: freshPrefix() }, client);
      expect(await append(provider)).toMatchObject({ success: true });
      await server.kill();
      const error = errorOf(await append(provider));
      expect(error).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
      const health = await provider.healthCheck();
      expect(health).toMatchObject({ data: { healthy: false, error: expect.stringMatching(/./) } });
      await server.start();
      await expect.poll(async () => (await append(provider)).success).toBe(true);
      if (client instanceof Redis) client.disconnect();
      else client.destroy();
    },
  );

  it("returns a retryable error in time if it hangs", async () => {
    const { client, provider, end } = await connect({ url: server.url }, { commandTimeoutMs: 50 });
    const other = await connect({ url: server.url });
    await client.ping();
    await other.client.sendCommand(["CLIENT", "PAUSE", "300", "ALL"]);
    const error = errorOf(await append(provider));
    expect(error).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
    expect(error.message).toMatch(/in time/);
    await other.client.ping();
    end();
    other.end();
  });

  it("returns an error that isn't retryable if the application closed it", async () => {
    for (const open of [openers["node-redis"], openers.ioredis]) {
      const { client, end } = await open();
      const provider = await createRedisProvider({ keyPrefix: freshPrefix() }, client);
      await end();
      expect(errorOf(await append(provider))._tag).toBe("MemoryConnectionError");
    }
  });

  it("makes the setup fail with a clear error if it is refused", async () => {
    await expect(createRedisProvider({ host: "127.0.0.1", port: 1 })).rejects.toMatchObject({
      name: "MemorySetupError",
      error: { _tag: "MemoryConnectionError", retryable: true },
      message: expect.stringMatching(/host and port/),
    });
  });

  it("returns a retryable error for a stored write if there are too few replicas", async () => {
    const { provider, end } = await connect({ url: server.url }, { minReplicas: 1, commandTimeoutMs: 600 });
    const write = () => provider.appendMessages("c", messages, {}, { ...created, idempotencyKey: "k" });
    for (const error of [errorOf(await write()), errorOf(await write())]) {
      expect(error).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
      expect(error.message).toMatch(/minReplicas/);
    }
    expect(await provider.getConversation("c")).toMatchObject({ data: { messages } });
    end();
  });
});

describe("the provider's own connection", () => {
  it("fails immediately while the server is away, and runs no timed-out call later", async () => {
    const own = await createRedisProvider({ url: server.url, keyPrefix: freshPrefix() });
    await server.kill();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(errorOf(await append(own))).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
    }
    await server.start();
    await expect.poll(async () => (await own.getStats()).success).toBe(true);
    expect(await own.getConversation("c")).toMatchObject({ data: null });
    expect(await own.close()).toMatchObject({ success: true });
  });

  it("closes in time, even if the server hangs", async () => {
    const own = await createRedisProvider({ url: server.url, commandTimeoutMs: 100 });
    const { client, end } = await connect({ url: server.url });
    await client.sendCommand(["CLIENT", "PAUSE", "1000", "ALL"]);
    const pending = append(own);
    expect(await own.close()).toMatchObject({ success: true });
    expect(errorOf(await pending)).toMatchObject({ retryable: true });
    await client.sendCommand(["CLIENT", "UNPAUSE"]);
    end();
  });

  it("is closed with the provider, unlike a client that was passed in", async () => {
    const own = await createRedisProvider({ url: server.url, keyPrefix: freshPrefix() });
    expect(await append(own)).toMatchObject({ success: true });
    const { client, provider, end } = await connect({ url: server.url });
    const connections = async () => (await client.clientList()).length;
    const before = await connections();
    await own.close();
    await expect.poll(connections).toBe(before - 1);
    await provider.close();
    expect(await client.ping()).toBe("PONG");
    end();
  });
});

describe("errors of a driver", () => {
  const reply = (message: string) => Object.assign(new Error(message), { name: "ReplyError" });

  it.each([
    ["LOADING Redis is loading the dataset in memory", "MemoryConnectionError", true],
    ["CLUSTERDOWN Hash slot not served", "MemoryConnectionError", true],
    ["TRYAGAIN Multiple keys request during rehashing of slot", "MemoryConnectionError", true],
    ["MASTERDOWN Link with MASTER is down", "MemoryConnectionError", true],
    ["NOREPLICAS Not enough good replicas to write.", "MemoryConnectionError", true],
    ["MOVED 3999 127.0.0.1:6381", "MemoryConnectionError", false],
    ["BUSY Redis is busy running a script.", "MemoryStorageError", true],
    ["MISCONF Errors writing to the AOF file: No space left on device", "MemoryStorageError", true],
    ["NOSCRIPT No matching script.", "MemoryStorageError", true],
    [
      "ERR Error running script: @user_script:3: -READONLY You can't write against a read only replica.",
      "MemoryConnectionError",
      true,
    ],
    ["ERR Script attempted to access a non local key in a cluster node", "MemoryStorageError", false],
    ["ERR unknown command", "MemoryStorageError", false],
    ["All sentinels are unreachable. Retrying from scratch after 10ms.", "MemoryConnectionError", true],
    ["Connection is closed.", "MemoryConnectionError", true],
  ])("%s", (message, _tag, retryable) => {
    const error = toMemoryError("appendMessages", reply(message));
    expect(error).toMatchObject({ _tag, retryable, provider: "redis", operation: "appendMessages" });
    expect(error.message).toMatch(/./);
  });

  it("are not repeated if they may quote a key", () => {
    const error = toMemoryError("appendMessages", reply(`ERR something about ${SECRET}`));
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });
});
