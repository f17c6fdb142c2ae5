import type { Message } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisCluster, startRedisCluster } from "../../../../test/redis-cluster.ts";
import { redisCommand } from "../../../../test/redis-command.ts";
import { createRedisProvider } from "../../src/index.ts";
import { createRedisUserMemory } from "../../src/user-memory/index.ts";
import { clusterOpeners, type Opened } from "./clients.ts";
import { creating } from "./creating.ts";
import { hashOf } from "./facts.ts";
import { freshPrefix } from "./stores.ts";

const hello: readonly Message[] = [{ role: "user", content: "Hello" }];

/** Moves keys of one slot from their server to another, key by key, as a reshard does. */
async function beginMigration(ports: readonly number[], key: string) {
  const slot = String(await redisCommand(ports[0] ?? 0, "CLUSTER", "KEYSLOT", key));
  const nodes = await Promise.all(
    ports.map(async (port) => ({ port, id: String(await redisCommand(port, "CLUSTER", "MYID")) })),
  );
  const isLocal = await Promise.all(
    nodes.map(({ port }) =>
      redisCommand(port, "EXISTS", key).then(
        () => true,
        () => false,
      ),
    ),
  );
  const source = nodes[isLocal.indexOf(true)] ?? expect.fail("no server has the slot");
  const target = nodes[isLocal.indexOf(false)] ?? expect.fail("every server has the slot");
  await redisCommand(target.port, "CLUSTER", "SETSLOT", slot, "IMPORTING", source.id);
  await redisCommand(source.port, "CLUSTER", "SETSLOT", slot, "MIGRATING", target.id);
  const move = (...keys: readonly string[]) =>
    redisCommand(source.port, "MIGRATE", "127.0.0.1", `${target.port}`, "", "0", "5000", "KEYS", ...keys);
  return {
    move,
    end: async () => {
      // An index may be in the same slot by chance.
      const rest = await redisCommand(source.port, "CLUSTER", "GETKEYSINSLOT", slot, "1000");
      if (Array.isArray(rest) && rest.length > 0) await move(...rest.map(String));
      for (const { port } of nodes) await redisCommand(port, "CLUSTER", "SETSLOT", slot, "NODE", target.id);
    },
  };
}

/** Tests a kind of client while keys move from one server of a cluster to another. */
export function describeSlotMigration(kind: keyof typeof clusterOpeners): void {
  /** A cluster of its own, since a slot that is being moved would refuse the writes of other tests. */
  let cluster: RedisCluster;

  describe(`${kind}: while a slot is being moved`, () => {
    let opened: Opened;
    const ports = () => cluster.urls.map((url) => Number(new URL(url).port));
    beforeAll(async () => {
      cluster = await startRedisCluster();
      opened = await clusterOpeners[kind](cluster.urls);
    });
    afterAll(async () => {
      await opened.end();
      await cluster.stop();
    });

    const parts = (keyPrefix: string) => {
      const tag = `{${keyPrefix}c}`;
      return [
        `${keyPrefix}c`,
        ...["messages", "keys", "traces"].map((part) => `${keyPrefix}${part}:${tag}`),
      ] as const;
    };

    it.each([0, 1, 2, 3, 4])(
      "with %i of its keys moved: every write is complete, or refused and retryable",
      async (moved) => {
        const keyPrefix = freshPrefix();
        const provider = creating(await createRedisProvider({ keyPrefix, ttl: 1_000 }, opened.client));
        const owned = { userId: "u", traceId: "t", topic: "precious" };
        const once = () => provider.appendMessages("c", hello, owned, { idempotencyKey: "k" });
        expect(await once()).toMatchObject({ success: true });
        const all = parts(keyPrefix);
        const { move, end } = await beginMigration(ports(), all[0]);
        if (moved > 0) await move(...all.slice(0, moved));
        const append = () => provider.appendMessages("c", hello, { traceId: "t2" }, { idempotencyKey: "k2" });
        const replace = () =>
          provider.storeMessages("c", [...hello, ...hello, ...hello], owned, { idempotencyKey: "k3" });
        const results = [await once(), await append(), await replace()] as const;
        for (const result of results) {
          if (!result.success) expect(result.error).toMatchObject({ retryable: true });
        }
        if (moved < all.length) await move(...all.slice(moved));
        await end();
        for (const write of [once, append, replace]) {
          await expect.poll(async () => (await write()).success).toBe(true);
        }
        const [, appended, replaced] = results;
        const last = replaced.success && !appended.success ? 4 : 3;
        const read = await provider.getConversation("c");
        expect(read).toMatchObject({
          data: { userId: "u", metadata: { topic: "precious", totalMessages: last } },
        });
        expect(await provider.findConversations({ traceId: "t" })).toMatchObject({
          data: [{ conversationId: "c" }],
        });
        expect(await provider.clearUserConversations("u")).toMatchObject({ data: 1 });
      },
    );

    it.each([0, 1, 5, 9])(
      "with %i of a user's keys moved: every call is complete, or refused for now",
      async (moved) => {
        const keyPrefix = freshPrefix();
        const memory = await createRedisUserMemory({ keyPrefix }, opened.client);
        const tea = await memory.remember("u", "Likes tea", { key: "drink" });
        const names = ["head", "facts", "lookups", "postings", "contexts", "active", "audit"];
        const all = names.map((part) => `${keyPrefix}user-memory:{${hashOf("u")}}:${part}`);
        const { move, end } = await beginMigration(ports(), all[0] ?? "");
        if (moved > 0) await move(...all.slice(0, moved));
        const results = await Promise.allSettled([
          memory.remember("u", "Likes milk", { key: "drink" }),
          memory.recall("u", "milk or tea"),
          memory.list("u"),
        ]);
        for (const result of results) {
          if (result.status === "rejected") expect(result.reason).toMatchObject({ retryable: true });
        }
        if (moved < all.length) await move(...all.slice(moved));
        await end();
        await expect
          .poll(() => memory.remember("u", "Likes milk", { key: "drink" }).catch(() => null))
          .toMatchObject({ fact: "Likes milk", status: "active" });
        expect(await memory.list("u")).toMatchObject([{ fact: "Likes milk" }]);
        expect(await memory.recall("u", "milk or tea")).toMatchObject([{ fact: "Likes milk" }]);
        expect(await memory.get("u", tea.id)).toMatchObject({ status: "superseded" });
        expect(await memory.verifyAudit("u")).toMatchObject({ ok: true, facts: 2 });
        expect(await memory.forgetAll("u")).toMatchObject({ facts: 2 });
      },
    );
  });
}
