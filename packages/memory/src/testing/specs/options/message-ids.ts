import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import {
  contents,
  expectConflict,
  expectOk,
  read,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { storableIds } from "../../fixtures/hostile-ids.ts";
import { append, rich, user, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

type Provider = VersionedMemoryProvider;

/** Returns the content and the position of the message that was written with the id `messageId`, or `undefined`. */
async function find(provider: Provider, messageId: string, conversationId = "c") {
  const { conversation, firstPosition } = await read(provider, { messages: { messageId } }, conversationId);
  const [message, ...others] = conversation?.messages ?? [];
  expect(others, "an id is there once").toEqual([]);
  if (message !== undefined) return { content: message.content, position: firstPosition };
  expect(firstPosition).toBe(conversation?.metadata?.nextPosition ?? 0);
  return undefined;
}

const say = (provider: Provider, ids: readonly (string | null)[], ...texts: readonly string[]) =>
  append(provider, "c", users(...texts), {}, { messageIds: ids });

export const messageIds = defineSpec(
  {
    level: "contract",
    subject: "options.messageIds",
    why: "A client that syncs its messages again stores everything twice, or overwrites another user's messages.",
    hint: "write(): skip a stored id with an equal hash, refuse it with another hash; remove an id with its message.",
  },
  {
    "finds a message and its position by its id": async ({ provider }) => {
      expectOk(await say(provider, ["a", null, "c"], "1", "2", "3"));
      expectOk(await provider.appendMessages("c", users("4"), {}, { messageIds: ["d"] }));
      expect(await find(provider, "a")).toEqual({ content: "1", position: 0 });
      expect(await find(provider, "c")).toEqual({ content: "3", position: 2 });
      expect(await find(provider, "d")).toEqual({ content: "4", position: 3 });
      for (const none of ["b", "A", "1", "a "]) expect(await find(provider, none)).toBeUndefined();
      expect(await find(provider, "a", "another")).toBeUndefined();
    },

    "skips a message that is stored under its id, and stores the rest": async ({ provider }) => {
      expectOk(await say(provider, ["a", "b"], "1", "2"));
      expectOk(await say(provider, ["a", "b"], "1", "2"));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({ version: 1, nextPosition: 2 });
      expectOk(await say(provider, ["b", "c", "a", null, "d"], "2", "3", "1", "1", "4"));
      expect(await readContents(provider, "c")).toEqual(["1", "2", "3", "1", "4"]);
      expect(await find(provider, "d")).toEqual({ content: "4", position: 4 });
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ version: 2, totalMessages: 5, nextPosition: 5 });
    },

    "writes the metadata of a write even if all messages are skipped": async ({ provider }) => {
      expectOk(await say(provider, ["a"], "1"));
      const options = { messageIds: ["a"] };
      expectOk(await provider.appendMessages("c", users("1"), { topic: "t" }, options));
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ topic: "t", version: 1, metadataVersion: 1 });
    },

    "refuses another content under an id, and writes nothing": async ({ provider }) => {
      expectOk(await say(provider, ["a", "b"], "1", "2"));
      const before = await readConversation(provider, "c");
      const others = [
        user("other"),
        { ...user("1"), role: "assistant" as const },
        rich({ ...user("1"), more: 1 }),
      ];
      for (const other of others) {
        const batch = [user("fine"), other];
        const options = { messageIds: ["new", "a"], idempotencyKey: "k" };
        const refused = await provider.appendMessages("c", batch, { topic: "x", traceId: "t" }, options);
        expectConflict(refused, "message-id");
      }
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(await find(provider, "new")).toBeUndefined();
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      expectOk(await provider.appendMessages("c", users("3"), {}, { idempotencyKey: "k" }));
    },

    "also applies within one batch, in both writes": async ({ provider }) => {
      for (const method of ["storeMessages", "appendMessages"] as const) {
        expectOk(await provider.storeMessages(method, users("0")));
        const options = { messageIds: ["a", "b", "a"] };
        const twice = await provider[method](method, users("1", "2", "other"), {}, options);
        expectConflict(twice, "message-id");
        expect(await readContents(provider, method)).toEqual(["0"]);
        expectOk(await provider[method](method, users("1", "2", "1"), {}, options));
        const kept = method === "appendMessages" ? ["0", "1", "2"] : ["1", "2"];
        expect(await readContents(provider, method)).toEqual(kept);
      }
    },

    "is free again after its message is trimmed": async ({ provider }) => {
      expectOk(await say(provider, ["a", "b", "c"], "1", "2", "3"));
      expectOk(await provider.appendMessages("c", [], {}, { maxMessages: 2 }));
      expect(await find(provider, "a")).toBeUndefined();
      expect(await find(provider, "b")).toEqual({ content: "2", position: 1 });
      expectOk(await say(provider, ["a", "c"], "other", "3"));
      expect(await readContents(provider, "c")).toEqual(["2", "3", "other"]);
      const options = { messageIds: ["d", "e"], maxMessages: 1 };
      expectOk(await provider.appendMessages("c", users("4", "5"), {}, options));
      expect(await find(provider, "d"), "it never stayed").toBeUndefined();
      expect(await find(provider, "e")).toEqual({ content: "5", position: 5 });
      expectOk(await say(provider, ["d"], "another"));
    },

    "is free again after its message is dropped, and can be reused": async ({ provider }) => {
      expectOk(await say(provider, ["a", "b", "c"], "1", "2", "3"));
      const swap = { dropLast: 2, messageIds: ["c", "b"] };
      expectOk(await provider.appendMessages("c", users("other", "2"), {}, swap));
      expect(await readContents(provider, "c")).toEqual(["1", "other", "2"]);
      expect(await find(provider, "c")).toEqual({ content: "other", position: 1 });
      expect(await find(provider, "b")).toEqual({ content: "2", position: 2 });
      const kept = { dropLast: 1, messageIds: ["a"] };
      expectConflict(await provider.appendMessages("c", users("other"), {}, kept), "message-id");
      expectOk(await provider.appendMessages("c", users("1"), {}, kept));
      expect(await readContents(provider, "c"), "skipped: it stayed").toEqual(["1", "other"]);
      expect(await find(provider, "b")).toBeUndefined();
      expectOk(await say(provider, ["b"], "4"));
      expect(await find(provider, "b")).toEqual({ content: "4", position: 2 });
    },

    "is free again after a replacement and after a deletion": async ({ provider }) => {
      expectOk(await say(provider, ["a", "b"], "1", "2"));
      expectOk(await provider.storeMessages("c", users("other", "3"), {}, { messageIds: ["a", "c"] }));
      expect(await find(provider, "a")).toEqual({ content: "other", position: 2 });
      expect(await find(provider, "b")).toBeUndefined();
      expectOk(await provider.deleteConversation("c"));
      expectOk(await say(provider, ["c"], "new"));
      expect(await find(provider, "a")).toBeUndefined();
      expect(await find(provider, "c")).toEqual({ content: "new", position: 0 });
    },

    "belongs to one conversation": async ({ provider }) => {
      for (const id of ["c", "d"]) {
        expectOk(await append(provider, id, users(id), {}, { messageIds: ["m"] }));
      }
      for (const id of ["c", "d"]) expect((await find(provider, "m", id))?.content).toBe(id);
      expectOk(await provider.deleteConversation("d"));
      expect((await find(provider, "m"))?.content).toBe("c");
    },

    "can be any valid id, and is compared exactly": async ({ provider }) => {
      const options = { messageIds: storableIds };
      for (let attempt = 0; attempt < 2; attempt++)
        expectOk(await append(provider, "c", users(...storableIds), {}, options));
      expect(await readContents(provider, "c")).toEqual(storableIds);
      for (const [position, id] of storableIds.entries()) {
        expect(await find(provider, id)).toEqual({ content: id, position });
      }
    },

    "is not the model provider's id, which may repeat": async ({ provider }) => {
      const given = [rich({ ...user("1"), id: "m" }), rich({ ...user("2"), id: "m" })];
      expectOk(await append(provider, "c", given, {}, { messageIds: [null, undefined] }));
      expectOk(await provider.appendMessages("c", given));
      expect(contents((await readConversation(provider, "c")).messages)).toEqual(["1", "2", "1", "2"]);
      expect(await find(provider, "m")).toBeUndefined();
    },
  },
);
