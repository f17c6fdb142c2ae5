import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, rich, user, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const system = rich({ role: "system", content: "Be brief." });
const developer = rich({ role: "developer", content: [{ type: "text", text: "Be brief." }] });

const systemContentOf = async (provider: VersionedMemoryProvider, id = "c"): Promise<unknown> =>
  (await readConversation(provider, id)).metadata["systemContent"];

export const systemContent = defineSpec(
  {
    level: "contract",
    subject: "metadata.systemContent",
    why: "A reader of only the end of a conversation leaves out earlier instructions.",
    hint: "defineMemoryProvider puts the field into the write's metadata; merge and replace it like any other.",
  },
  {
    "exists once a system or developer message was written": async ({ provider }) => {
      for (const [id, message] of Object.entries({ system, developer })) {
        expectOk(await append(provider, id, [user("1"), rich({ role: "assistant", content: null })]));
        expect(await systemContentOf(provider, id)).toBeUndefined();
        expectOk(await provider.appendMessages(id, [user("2"), message]));
        expect(await systemContentOf(provider, id)).toBe(true);
        expectOk(await provider.storeMessages(`stored ${id}`, [message, user("1")]));
        expect(await systemContentOf(provider, `stored ${id}`)).toBe(true);
      }
    },

    "exists in every read": async ({ provider }) => {
      expectOk(await append(provider, "c", [system, ...users("1", "2")], { userId: "u" }));
      const messages = { limit: 1 };
      const { conversation } = expectOk(await provider.readConversation("c", { messages }));
      expect(conversation?.metadata?.systemContent).toBe(true);
      const query = { userId: "u", includeMessages: false };
      const found = expectOk(await provider.findConversations(query));
      expect(found[0]?.metadata?.systemContent).toBe(true);
    },

    "stays after later writes, and when messages are dropped": async ({ provider }) => {
      expectOk(await append(provider, "c", [system, user("1")], { topic: "t" }));
      expectOk(await provider.appendMessages("c", users("2"), { topic: "new" }));
      expectOk(await provider.appendMessages("c", users("3"), undefined, { maxMessages: 1 }));
      expect(await systemContentOf(provider)).toBe(true);
    },

    "is removed by a replacement without system content": async ({ provider }) => {
      expectOk(await append(provider, "c", [system]));
      expectOk(await provider.storeMessages("c", users("1")));
      expect(await systemContentOf(provider)).toBeUndefined();
    },

    "can't be set by a caller": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { systemContent: true }));
      expect(await systemContentOf(provider)).toBeUndefined();
      expectOk(await provider.appendMessages("c", [system], { systemContent: false }));
      expectOk(await provider.appendMessages("c", [], { systemContent: false }));
      expect(await systemContentOf(provider)).toBe(true);
    },

    "is created again by an import": async ({ provider, open }) => {
      expectOk(await append(provider, "c", [system, user("1")]));
      const record = expectOk(await provider.exportConversation("c"));
      if (record === null) return expect.fail("expected a record");
      expect(record.metadata).toEqual({});
      const other = (await open()).provider;
      expectOk(await other.importConversation(record));
      expect(await systemContentOf(other)).toBe(true);
      expectOk(await other.importConversation({ ...record, conversationId: "d", messages: users("1") }));
      expect(await systemContentOf(other, "d")).toBeUndefined();
    },
  },
);
