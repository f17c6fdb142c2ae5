import { defineUserMemory, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createRedisProvider } from "../../src/index.ts";
import { added, changeOn, commitTo, hashOf, storedFact, userKey } from "../support/facts.ts";
import { freshPrefix } from "../support/stores.ts";
import { backendOn, backendOnPort, dumpOf } from "../support/user-memory.ts";

let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  redis = createClient({ url: inject("redisUrl") });
  await redis.connect();
});
afterAll(() => redis.close());

const user = userKey("ann@example.org");

const whole = storedFact(1, {
  ...{ key: "home-city", conversationId: "c", position: 3, author: "Ann", vector: [1, -1] },
});

async function fill(backend: UserMemoryBackend): Promise<void> {
  await commitTo(backend, user, {
    ...added(
      whole,
      storedFact(2, { status: "quarantined", terms: [] }),
      storedFact(3, { status: "superseded" }),
    ),
    tombstones: [{ digest: hashOf("gone"), at: 1 }],
    audit: [{ seq: 1, body: "{}" }],
  });
  const job = { user, id: hashOf("job"), body: "what Ann said" };
  await backend.jobs.enqueue(job, { epoch: 0, leaseMs: 0 });
}

describe("the keys of a user memory", () => {
  it("match the documentation, and contain only a hash of the user", async () => {
    const keyPrefix = freshPrefix();
    await fill(backendOn(redis, keyPrefix));
    const keys = (await redis.keys(`${keyPrefix}*`)).map((key) => key.slice(keyPrefix.length)).sort();
    const parts = [
      ...["active", "audit", "contexts", "facts", "head", "jobs", "lookups", "postings", "quarantined"],
      ...["signatures", "superseded", "tombstones", "vectors"],
    ];
    expect(keys).toEqual(
      [...parts.map((part) => `user-memory:{${user.hash}}:${part}`), "user-memory:{jobs}"].sort(),
    );
    expect(keys.join()).not.toContain("ann");
    expect(await redis.ttl(`${keyPrefix}user-memory:{${user.hash}}:facts`)).toBe(-1);
  });

  it("never equal a conversation's key with the same prefix", async () => {
    const keyPrefix = freshPrefix();
    const provider = await createRedisProvider({ keyPrefix }, redis);
    const backend = backendOn(redis, keyPrefix);
    await fill(backend);
    const before = await dumpOf(`${keyPrefix}user-memory:{`, [inject("redisUrl")]);
    for (const part of [`{${user.hash}}:facts`, `{${user.hash}}:head`, "{jobs}"]) {
      const id = `user-memory:${part}`;
      const written = await provider.storeMessages(id, [{ role: "user", content: "Hello" }], { userId: id });
      expect(written).toMatchObject({ success: true });
      expect(await provider.deleteConversation(id)).toMatchObject({ data: true });
    }
    await provider.clearUserConversations(user.userId);
    expect(await dumpOf(`${keyPrefix}user-memory:{`, [inject("redisUrl")])).toBe(before);
  });

  it("are all removed with the last fact, except for head, tombstones and trail", async () => {
    const keyPrefix = freshPrefix();
    const backend = backendOn(redis, keyPrefix);
    await fill(backend);
    const { facts } = await backend.read(user, { seqs: [1, 2, 3] });
    await commitTo(backend, user, { drop: facts });
    await backend.jobs.complete(user, hashOf("job"));
    const keys = (await redis.keys(`${keyPrefix}*`)).map((key) => key.split(":").at(-1));
    expect(keys.sort()).toEqual(["audit", "head", "tombstones"]);
  });

  it("after an erasure are the head and a new trail, without any word of the user", async () => {
    const keyPrefix = freshPrefix();
    const backend = backendOn(redis, keyPrefix);
    await fill(backend);
    const erased = await backend.erase(user, { state: "{}", audit: [{ seq: 2, body: "{}" }] });
    expect(erased).toEqual({ facts: 3, vectors: 1, jobs: 1 });
    const keys = (await redis.keys(`${keyPrefix}*`)).map((key) => key.split(":").at(-1));
    expect(keys.sort()).toEqual(["audit", "head"]);
    expect(await dumpOf(keyPrefix, [inject("redisUrl")])).not.toMatch(/ann|fact|said|city/i);
  });

  it.each(["head", "facts", "lookups", "postings", "contexts", "signatures", "vectors", "active", "audit"])(
    "with another type at %s fail a write, which then changes nothing",
    async (part) => {
      const keyPrefix = freshPrefix();
      const backend = backendOn(redis, keyPrefix);
      await redis.set(`${keyPrefix}user-memory:{${user.hash}}:${part}`, "not ours");
      const before = await dumpOf(keyPrefix, [inject("redisUrl")]);
      const change = changeOn(0, { ...added(whole), audit: [{ seq: 1, body: "{}" }] });
      const thrown: unknown = await backend.commit(user, change).catch((error: unknown) => error);
      expect(backend.toMemoryError("remember", thrown)).toMatchObject({
        ...{ _tag: "MemoryStorageError", retryable: false },
        message: expect.stringMatching(/another application.*keyPrefix/),
      });
      expect(await dumpOf(keyPrefix, [inject("redisUrl")])).toBe(before);
    },
  );
});

describe("a user memory", () => {
  it("takes one round trip to match, and one to read the matches", async () => {
    const port = adaptClient(redis);
    let trips = 0;
    const send: typeof port.send = (...call) => {
      trips++;
      return port.send(...call);
    };
    const backend = backendOnPort({ ...port, send }, freshPrefix());
    await commitTo(backend, user, added(...Array.from({ length: 50 }, (_, at) => storedFact(at + 1))));
    // Loads the scripts into the server.
    await backend.match(user, ["fact"]);
    await backend.read(user, {});
    trips = 0;
    const { documents } = await backend.match(user, ["fact", "other"]);
    expect(trips).toBe(1);
    await backend.read(user, { seqs: documents.slice(0, 20).map(({ seq }) => seq), keys: ["k"] });
    expect(trips).toBe(2);
  });

  it("does a write once if the client resends it", async () => {
    const port = adaptClient(redis);
    const send: typeof port.send = async (...call) => {
      await port.send(...call);
      return port.send(...call);
    };
    const backend = backendOnPort({ ...port, send }, freshPrefix());
    const audit = [{ seq: 1, body: "{}" }];
    expect(await backend.commit(user, changeOn(0, { ...added(storedFact(1)), audit }))).toBe(true);
    expect(await backend.commit(user, changeOn(0))).toBe(false);
    const job = { user, id: hashOf("job"), body: "b" };
    expect(await backend.jobs.enqueue(job, { epoch: 0, leaseMs: 0 })).toBe(true);
    expect((await backend.audit(user)).entries).toEqual(audit);
    expect(await backend.erase(user, { state: "", audit })).toEqual({ facts: 1, vectors: 0, jobs: 1 });
    const trail = await backend.audit(user);
    expect(trail).toEqual({ head: { version: 2, epoch: 1, state: "" }, entries: audit });
  });

  it("closes permanently, and leaves the given client open", async () => {
    const backend = backendOn(redis);
    const memory = defineUserMemory(backend);
    await memory.remember("u", "Likes tea");
    await memory.close();
    await memory.close();
    const refused = { code: "unavailable", retryable: false };
    await expect(memory.list("u")).rejects.toMatchObject(refused);
    await expect(memory.remember("u", "Likes milk")).rejects.toMatchObject(refused);
    await expect(memory.queue.size()).rejects.toMatchObject(refused);
    expect(await redis.ping()).toBe("PONG");
  });
});
