import { expect } from "vitest";
import { contents, expectInvalid, expectOk, ids, readConversation } from "../../fixtures/expectations.ts";
import { append, rich, user, users } from "../../fixtures/messages.ts";
import { describeDifferences } from "../../kit/difference.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

/** Returns a text inside `levels` lists, each list inside the next one. */
function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const naming = {
  "a conversation": (provider, id) => append(provider, id, users("1")),
  "a user": (provider, id) => append(provider, "c", [], { userId: id }),
  "a trace": (provider, id) => provider.appendMessages("c", [], { traceId: id }),
  "a write": (provider, id) => provider.appendMessages("c", [], {}, { idempotencyKey: id }),
} satisfies Record<string, (provider: Scenario["provider"], id: string) => Promise<unknown>>;

export const sizes = defineSpec(
  {
    level: "limits",
    subject: "sizes",
    why: "A pasted document or a long tool result fails, or is cut off silently.",
    hint: "Column types, the driver's and the server's size limits, and limits on parameters in one statement.",
  },
  {
    "of a message can be 1 MB, in any script, in every read": async ({ provider }) => {
      const texts = ['a\n"\\', "é", "字", "😀"].map((unit) =>
        unit.repeat(1_048_576 / Buffer.byteLength(unit)),
      );
      expectOk(await append(provider, "c", users(...texts), { userId: "u" }));
      const read = (await readConversation(provider, "c")).messages;
      const recent = expectOk(await provider.getRecentMessages("c", 4));
      const [found] = expectOk(await provider.findConversations({ userId: "u" }));
      for (const messages of [read, recent, found?.messages ?? []]) {
        // Compare the contents one by one, because the report of a difference between two whole lists would be too
        // long.
        expect(messages.map(({ content }, at) => content === texts[at])).toEqual(texts.map(() => true));
      }
    },

    "of a batch can be 5,000 messages, stored completely and in order": async ({ provider }) => {
      const texts = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);
      expectOk(await append(provider, "c", users("first")));
      expectOk(await provider.appendMessages("c", users(...texts), {}, { expectedVersion: 1 }));
      const { messages, metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ version: 2, totalMessages: 5_001 });
      expect(contents(messages).findIndex((text, at) => text !== (at === 0 ? "first" : texts[at - 1]))).toBe(
        -1,
      );
      expect(contents(expectOk(await provider.getRecentMessages("c", 2)))).toEqual(texts.slice(-2));
      const recent = contents(expectOk(await provider.getRecentMessages("c", 5_000)));
      expect(recent).toHaveLength(5_000);
      expect(recent.findIndex((text, at) => text !== texts[at])).toBe(-1);
      expectOk(await provider.storeMessages("c", users(...texts), {}, { maxMessages: 3 }));
      expect(contents((await readConversation(provider, "c")).messages)).toEqual(texts.slice(-3));
    },

    "of a value can be 200 levels, and no more": async ({ provider }) => {
      const message = (levels: number) => rich({ role: "user", content: "x", custom: nested(levels) });
      expectOk(await append(provider, "c", [message(199)], { custom: nested(199) }));
      const { messages, metadata } = await readConversation(provider, "c");
      expect(messages).toEqual([message(199)]);
      expect(metadata["custom"]).toEqual(nested(199));
      await expectInvalid(() => provider.appendMessages("c", [message(210)]));
      await expectInvalid(() => provider.appendMessages("c", [], { custom: nested(210) }));
    },

    "of an id can be 255 characters, but not 256": async ({ provider }) => {
      for (const name of Object.values(naming)) {
        expectOk(await name(provider, "字".repeat(255)));
        await expectInvalid(() => name(provider, "字".repeat(256)));
      }
      expect(ids(expectOk(await provider.findConversations({ traceId: "字".repeat(255) })))).toEqual(["c"]);
      expect(ids(expectOk(await provider.findConversations({ userId: "字".repeat(255) })))).toEqual(["c"]);
    },

    "of metadata can be 500 fields and a long text": async ({ provider }) => {
      const fields = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field ${at}`, { at }]));
      const text = "é".repeat(200_000);
      expectOk(await append(provider, "c", [], fields));
      expectOk(await provider.appendMessages("c", [], { text }));
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject(fields);
      expect(describeDifferences(text, metadata["text"])).toEqual([]);
    },

    "of a history can be 200 traces, and each finds it": async ({ provider }) => {
      const traces = Array.from({ length: 200 }, (_, at) => `trace ${at}`);
      for (const traceId of traces) {
        expectOk(await append(provider, "c", [user(traceId)], { traceId }, { maxMessages: 2 }));
      }
      for (const traceId of traces) {
        const found = await provider.findConversations({ traceId, includeMessages: false });
        expect(ids(expectOk(found)), traceId).toEqual(["c"]);
      }
    },
  },
);
