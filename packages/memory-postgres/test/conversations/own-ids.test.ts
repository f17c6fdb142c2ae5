import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { PostgresProvider } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, useClient } from "../support/stores.ts";

const schema = freshSchema();
afterAll(() => dropSchemas([schema]));

const say = (content: string) => ({ role: "user", content }) as const;
const conflict = { error: { reason: "message-id" } };
const done = { success: true };

const using = (use: (provider: PostgresProvider) => Promise<void>) =>
  useClient(async (client) => use(await createProvider({ schema }, client)));

const contents = async (provider: PostgresProvider, id: string) => {
  const result = await provider.exportConversation(id);
  if (!result.success || result.data === null) throw new Error("not there");
  const { messages, messageIds, version } = result.data;
  return { messages: messages.map(({ content }) => content), messageIds, version };
};

describe("messages with their own ids", () => {
  beforeAll(() => using(async () => {}));

  it("are skipped, refused and numbered by the whole batch", () =>
    using(async (provider) => {
      await provider.appendMessages("c", [say("a"), say("b")], {}, { messageIds: ["1", null] });
      const mixed = [say("c"), say("a"), say("d"), say("d"), say("e")];
      const messageIds = [null, "1", "2", "2", undefined];
      expect(await provider.appendMessages("c", mixed, {}, { messageIds })).toMatchObject(done);
      expect(await contents(provider, "c")).toEqual({
        messages: ["a", "b", "c", "d", "e"],
        messageIds: ["1", null, null, "2", null],
        version: 2,
      });
      const same = { messageIds: ["2"] };
      expect(await provider.appendMessages("c", [say("d")], {}, same)).toMatchObject(done);
      expect(await provider.appendMessages("c", [say("other")], {}, same)).toMatchObject(conflict);
      const twice = { messageIds: ["9", "9"] };
      expect(await provider.appendMessages("c", [say("x"), say("y")], {}, twice)).toMatchObject(conflict);
      expect(await provider.storeMessages("c", [say("x"), say("y")], {}, twice)).toMatchObject(conflict);
      expect((await contents(provider, "c")).version).toBe(2);
    }));

  it("are forgotten if they are dropped, trimmed or replaced", () =>
    using(async (provider) => {
      await provider.storeMessages("d", [say("a"), say("b")], {}, { messageIds: ["1", "2"] });
      const again = { dropLast: 1, messageIds: ["1", "2"] };
      expect(await provider.appendMessages("d", [say("a"), say("B")], {}, again)).toMatchObject(done);
      expect(await contents(provider, "d")).toMatchObject({ messages: ["a", "B"], messageIds: ["1", "2"] });
      await provider.appendMessages("d", [say("c")], {}, { maxMessages: 1 });
      expect(await provider.appendMessages("d", [say("A")], {}, { messageIds: ["1"] })).toMatchObject(done);
      expect(await provider.storeMessages("d", [say("z")], {}, { messageIds: ["1"] })).toMatchObject(done);
      const read = await provider.readConversation("d", { messages: { messageId: "1" } });
      expect(read).toMatchObject({ data: { conversation: { messages: [say("z")] }, firstPosition: 4 } });
    }));

  it("return a receipt with a key, even if all of them were stored before", () =>
    using(async (provider) => {
      await provider.appendMessages("e", [say("a"), say("b")], {}, { messageIds: ["1", "2"] });
      const options = { idempotencyKey: "k", messageIds: ["2", "3"] };
      await provider.appendMessages("e", [say("b"), say("c")], {}, options);
      await provider.appendMessages("e", [say("d")]);
      const read = await provider.readConversation("e", { messages: "none", receiptFor: "k" });
      expect(read).toMatchObject({ data: { receipt: { nextPosition: 3 }, firstPosition: 4 } });
    }));
});

describe("a keyed append that expects a version", () => {
  it("is done once despite concurrent attempts, and refused for different content", async () => {
    const providers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client(inject("pgUrl"));
        await client.connect();
        return { client, provider: await createProvider({ schema }, client) };
      }),
    );
    await providers[0]?.provider.storeMessages("k", [say("first")]);
    for (let round = 1; round <= 40; round++) {
      const options = { expectedVersion: round, idempotencyKey: `k${round}` };
      const results = await Promise.all(
        providers.map(({ provider }, at) =>
          provider.appendMessages("k", [say(at < 3 ? `${round}` : "other")], {}, options),
        ),
      );
      const written = results.filter(({ success }) => success);
      expect([1, 3]).toContain(written.length);
      for (const result of results)
        expect(result).toMatchObject(result.success ? done : { error: { reason: "idempotency-key" } });
    }
    const read = await providers[0]?.provider.getConversation("k");
    expect(read).toMatchObject({ data: { metadata: { version: 41, totalMessages: 41 } } });
    await Promise.all(providers.map(({ client }) => client.end()));
  });
});
