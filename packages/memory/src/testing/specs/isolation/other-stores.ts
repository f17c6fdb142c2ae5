import { expect } from "vitest";
import { expectAbsent, expectOk, readContents, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const owned = { userId: "u", traceId: "t" };

export const stores = defineSpec(
  {
    level: "isolation",
    subject: "other stores",
    why: "Two applications, or a test and production, share conversations because they share a server.",
    hint: "Every key, table and file name begins with the store's prefix, schema or folder; nothing is held in the module.",
  },
  {
    "show nothing of another store": async (scenario) => {
      const { provider } = scenario;
      const other = (await scenario.open()).provider;
      expectOk(await append(provider, "c", users("1"), owned));
      await expectAbsent(other, "c");
      expect(expectOk(await other.getRecentMessages("c"))).toEqual([]);
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
        expect(expectOk(await other.findConversations(query))).toEqual([]);
      }
      for (const user of [[], ["u"]] as const) {
        expect(expectOk(await other.getStats(...user))).toEqual({ totalConversations: 0, totalMessages: 0 });
      }
    },

    "have their own owners, versions and keys": async (scenario) => {
      const { provider } = scenario;
      const other = (await scenario.open()).provider;
      const first = { idempotencyKey: "k", expectedVersion: 0 };
      expectOk(await append(provider, "c", users("1", "2"), owned, first));
      expectOk(await append(other, "c", users("3"), { userId: "v" }, first));
      expect(await readConversation(provider, "c")).toMatchObject({ userId: "u", messages: users("1", "2") });
      expect(await readConversation(other, "c")).toMatchObject({ userId: "v", messages: users("3") });
    },

    "are not cleared, deleted or closed with another": async (scenario) => {
      const { provider } = scenario;
      const other = (await scenario.open()).provider;
      for (const store of [provider, other]) {
        for (const id of ["c", "d"]) expectOk(await append(store, id, users(id), owned));
      }
      expectOk(await other.deleteConversation("c"));
      expect(expectOk(await other.clearUserConversations("u"))).toBe(1);
      expectOk(await other.close());
      for (const id of ["c", "d"]) expect(await readContents(provider, id)).toEqual([id]);
    },
  },
);
