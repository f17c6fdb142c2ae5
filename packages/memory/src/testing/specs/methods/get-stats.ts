import { expect } from "vitest";
import { expectInvalid, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, hostile, users } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, inputLimits } from "../../kit/spec.ts";

const nothing = { totalConversations: 0, totalMessages: 0 };

export const getStats = defineSpec(
  {
    level: "contract",
    subject: "getStats",
    why: "Dashboards and quotas count conversations that don't exist.",
    hint: "stats(): count the stored conversations; creation dates, or none if there are no conversations.",
  },
  {
    "counts zero, without dates, in an empty store": async ({ provider }) => {
      expect(expectOk(await provider.getStats())).toEqual(nothing);
      expect(expectOk(await provider.getStats("nobody"))).toEqual(nothing);
      expectOk(await provider.storeMessages("c", users("1"), { userId: "alice" }));
      expect(expectOk(await provider.getStats("nobody"))).toEqual(nothing);
    },

    "counts all users', or one user's": async ({ provider }) => {
      expectOk(await provider.storeMessages("a-1", users("1", "2"), { userId: "alice" }));
      expectOk(await provider.storeMessages("a-2", users("1"), { userId: "alice" }));
      expectOk(await provider.storeMessages("b", users("1", "2", "3"), { userId: "bob" }));
      expectOk(await provider.storeMessages("none", users("1")));
      expect(expectOk(await provider.getStats())).toMatchObject({ totalConversations: 4, totalMessages: 7 });
      const alice = expectOk(await provider.getStats("alice"));
      expect(alice).toMatchObject({ totalConversations: 2, totalMessages: 3 });
      expect(expectOk(await provider.getStats("bob"))).toMatchObject({
        totalConversations: 1,
        totalMessages: 3,
      });
    },

    "counts what is stored now, without earlier data": async ({ provider }) => {
      expectOk(await provider.storeMessages("a", users("1", "2", "3"), { userId: "u" }));
      expectOk(await provider.storeMessages("a", users("4")));
      expectOk(await append(provider, "b", users("1", "2", "3"), { userId: "u" }, { maxMessages: 2 }));
      expectOk(await provider.storeMessages("empty", [], { userId: "u" }));
      expect(expectOk(await provider.getStats("u"))).toMatchObject({
        totalConversations: 3,
        totalMessages: 3,
      });
      expectOk(await provider.deleteConversation("b"));
      expect(expectOk(await provider.getStats("u"))).toMatchObject({
        totalConversations: 2,
        totalMessages: 1,
      });
    },

    "dates the oldest and the newest by their creation": async ({ provider }) => {
      for (const id of ["first", "second", "third"]) {
        expectOk(await provider.storeMessages(id, users("1"), { userId: id === "second" ? "v" : "u" }));
        await nextInstant();
      }
      expectOk(await provider.appendMessages("first", users("2")));
      const created = async (id: string) => (await readConversation(provider, id)).metadata.createdAt;
      expect(expectOk(await provider.getStats())).toMatchObject({
        oldestConversation: await created("first"),
        newestConversation: await created("third"),
      });
      const one = expectOk(await provider.getStats("v"));
      expect(one.oldestConversation).toBeInstanceOf(Date);
      expect(one.oldestConversation).toEqual(await created("second"));
      expect(one.newestConversation).toEqual(one.oldestConversation);
    },

    "counts many exactly, as numbers": async ({ provider }) => {
      const writes = Array.from({ length: 40 }, (_, index) =>
        provider.storeMessages(`c-${index}`, users("1", "2")),
      );
      for (const written of await Promise.all(writes)) expectOk(written);
      expect(expectOk(await provider.getStats())).toMatchObject({
        totalConversations: 40,
        totalMessages: 80,
      });
    },
  },
);

export const statsLimits = defineSpec(inputLimits("getStats"), {
  "doesn't treat another value as a missing user": async ({ provider }) => {
    for (const userId of [null, "", 0, {}])
      await expectInvalid(() => provider.getStats(hostile(userId)), "userId");
  },

  "refuses an undefined user, and shows no totals of all users": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users("1"), { userId: "alice" }));
    await expectInvalid(() => provider.getStats(undefined), "userId");
    expect(expectOk(await provider.getStats()).totalConversations).toBe(1);
  },
});
