import { createSuccess, type Message } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/adapter";
import { describe, expect, it } from "vitest";
import { createRedisProvider } from "../../src/index.ts";
import { type Opened, openers } from "../support/clients.ts";
import { creating } from "../support/creating.ts";
import { freshPrefix } from "../support/stores.ts";

const messages: readonly Message[] = [
  { role: "user", content: "Grüße, 世界 \u{1f680}\r\n\0" },
  { role: "assistant", content: "", tool_calls: [] },
];

async function withProvider(open: () => Promise<Opened>, minReplicas: number) {
  const { client, end } = await open();
  const provider = await createRedisProvider({ keyPrefix: freshPrefix(), minReplicas }, client);
  return { provider: creating(provider), end };
}

describe.each(Object.entries(openers))("%s", (name, open) => {
  const minReplicas = name.includes("sentinel") ? [0, 1] : [0];

  it.each(minReplicas)("supports all provider methods (replicas awaited: %i)", async (replicas) => {
    const { provider, end } = await withProvider(open, replicas);
    const done = createSuccess(undefined);
    const owned = { userId: "u{1}", traceId: "t:*", topic: { "a.b": [1] } };
    const receipt = {
      nextPosition: 2,
      totalMessages: 2,
      version: 1,
      historyDigest: expect.stringMatching(/^[0-9a-f]{40}$/),
    };
    const written = { ...done, receipt };
    expect(await provider.appendMessages("c{1}", messages, owned, { idempotencyKey: "k" })).toEqual(written);
    expect(await provider.appendMessages("c{1}", messages, owned, { idempotencyKey: "k" })).toEqual(done);
    expect(await provider.storeMessages("d", messages, { userId: "u{1}" })).toEqual(written);
    expect(await provider.appendMessages("c{1}", messages, {}, { expectedVersion: 7 })).toMatchObject({
      error: { _tag: createMemoryConflictError("version")._tag, actualVersion: 1 },
    });
    const read = await provider.getConversation("c{1}");
    expect(read).toMatchObject({
      data: { userId: "u{1}", messages, metadata: { topic: { "a.b": [1] }, totalMessages: 2, version: 1 } },
    });
    expect(await provider.getRecentMessages("c{1}", 1)).toMatchObject({ data: messages.slice(1) });
    for (const query of [{}, { userId: "u{1}" }]) {
      const found = await provider.findConversations(query);
      expect(found).toMatchObject({ data: [{ conversationId: "d" }, { conversationId: "c{1}", messages }] });
    }
    const byTrace = await provider.findConversations({ traceId: "t:*", includeMessages: false });
    expect(byTrace).toMatchObject({ data: [{ conversationId: "c{1}", messages: [] }] });
    expect(await provider.getStats("u{1}")).toMatchObject({
      data: { totalConversations: 2, totalMessages: 4 },
    });
    expect(await provider.healthCheck()).toMatchObject({ data: { healthy: true } });
    expect(await provider.deleteConversation("d")).toEqual(createSuccess(true));
    expect(await provider.clearUserConversations("u{1}")).toEqual(createSuccess(1));
    expect(await provider.findConversations({})).toEqual(createSuccess([]));
    expect(await provider.close()).toEqual(done);
    await end();
  });
});

describe("a client that may resend a command", () => {
  it("writes once, with and without a key of the caller", async () => {
    const { client, end } = await openers.ioredis();
    const twice = new Proxy(client, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== "call" || typeof value !== "function") return value;
        return async (...command: unknown[]) => {
          const first: unknown = await value.apply(target, command);
          return command[0] === "EVALSHA" ? value.apply(target, command) : first;
        };
      },
    });
    const provider = creating(await createRedisProvider({ keyPrefix: freshPrefix() }, twice));
    await provider.appendMessages("c", messages);
    await provider.appendMessages("c", messages, {}, { idempotencyKey: "k", expectedVersion: 1 });
    expect(await provider.getStats()).toMatchObject({ data: { totalMessages: 4 } });
    await end();
  });
});

describe.each(["node-redis", "ioredis"] as const)("a batch of 150,000 messages, by %s", (kind) => {
  it("is one write", async () => {
    const { client, end } = await openers[kind]();
    const provider = await createRedisProvider({ keyPrefix: freshPrefix() }, client);
    const many = Array.from({ length: 150_000 }, () => messages[0] ?? expect.fail());
    expect(await provider.storeMessages("c", many)).toMatchObject({ success: true });
    expect(await provider.getStats()).toMatchObject({ data: { totalMessages: 150_000 } });
    await provider.deleteConversation("c");
    await end();
  });
});
