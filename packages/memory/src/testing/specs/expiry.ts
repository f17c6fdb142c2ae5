import { expect } from "vitest";
import { expectAbsent, expectOk, readContents, readConversation } from "../expectations.ts";
import { users } from "../messages.ts";
import { defineSpec, type Scenario } from "../spec.ts";
import { sleep } from "../time.ts";

/** What a ttl of 1 second needs to have passed for sure. */
const expired = () => sleep(1_100);

async function expectGone({ provider }: Scenario): Promise<void> {
  await expectAbsent(provider, "c");
  expect(expectOk(await provider.getRecentMessages("c"))).toEqual([]);
  for (const query of [{}, { userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
    expect(expectOk(await provider.findConversations(query))).toEqual([]);
  }
  expect(expectOk(await provider.getStats())).toEqual({ totalConversations: 0, totalMessages: 0 });
  expect(expectOk(await provider.getStats("u"))).toEqual({ totalConversations: 0, totalMessages: 0 });
  expect(expectOk(await provider.clearUserConversations("u"))).toBe(0);
  expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
}

const owned = { userId: "u", traceId: "t", topic: "old" };

export const expiry = defineSpec(
  {
    level: "ttl",
    subject: "options.ttlSeconds",
    why: "Data outlives its retention time, or a chat is gone while it is in use.",
    hint: "write(): a ttl counts from the last write, is kept if not named, and goes with a deletion; every read looks at it.",
    requires: ["ttl"],
    concurrent: true,
  },
  {
    "takes a conversation away as if it were deleted": async (scenario) => {
      const { provider } = scenario;
      expectOk(await provider.storeMessages("c", users("1"), owned, { ttlSeconds: 1 }));
      expect(await readContents(provider, "c")).toEqual(["1"]);
      await expired();
      await expectGone(scenario);
    },

    "takes away what an append has created": async (scenario) => {
      expectOk(await scenario.provider.appendMessages("c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      await expectGone(scenario);
    },

    "lets the id begin anew, with nothing of the expired one": async ({ provider }) => {
      const options = { ttlSeconds: 1, idempotencyKey: "k" };
      expectOk(await provider.appendMessages("c", users("old", "old"), owned, options));
      const before = await readConversation(provider, "c");
      await expired();
      const anew = { idempotencyKey: "k", expectedVersion: 0 };
      expectOk(await provider.appendMessages("c", users("new"), { userId: "v" }, anew));
      const after = await readConversation(provider, "c");
      expect(after).toMatchObject({ userId: "v", messages: users("new") });
      expect(after.metadata).toMatchObject({ version: 1, totalMessages: 1 });
      expect(after.metadata).not.toHaveProperty("topic");
      expect(after.metadata.createdAt.getTime()).toBeGreaterThan(before.metadata.createdAt.getTime());
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      await expired();
      expect(await readContents(provider, "c"), "the old ttl went with the old conversation").toEqual([
        "new",
      ]);
    },

    "starts anew with each write, also one that names no ttl": async ({ provider }) => {
      expectOk(await provider.appendMessages("c", users("0"), owned, { ttlSeconds: 1 }));
      for (let write = 1; write <= 4; write++) {
        await sleep(300);
        expectOk(await provider.appendMessages("c", users(`${write}`)));
      }
      expect(await readContents(provider, "c")).toEqual(["0", "1", "2", "3", "4"]);
    },

    "is the one that was named last, also through a replacement": async ({ provider }) => {
      expectOk(await provider.appendMessages("longer", users("1"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.appendMessages("longer", users("2"), {}, { ttlSeconds: 3_600 }));
      expectOk(await provider.appendMessages("shorter", users("1"), {}, { ttlSeconds: 3_600 }));
      expectOk(await provider.storeMessages("shorter", users("2"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.appendMessages("replaced", users("1"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.storeMessages("replaced", users("2")));
      expectOk(await provider.appendMessages("continued", users("1"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.appendMessages("continued", users("2")));
      expectOk(await provider.appendMessages("anew", users("1"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.deleteConversation("anew"));
      expectOk(await provider.appendMessages("anew", users("2")));
      await expired();
      expect(await readContents(provider, "longer")).toEqual(["1", "2"]);
      for (const id of ["shorter", "replaced", "continued"]) await expectAbsent(provider, id);
      expect(await readContents(provider, "anew"), "a deletion takes the ttl along").toEqual(["2"]);
    },

    "leaves conversations without one alone": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), owned, { ttlSeconds: 1 }));
      expectOk(await provider.storeMessages("kept", users("1"), owned));
      expectOk(
        await provider.storeMessages("long", users("1"), owned, { ttlSeconds: Number.MAX_SAFE_INTEGER }),
      );
      await expired();
      expect(expectOk(await provider.getStats("u"))).toMatchObject({
        totalConversations: 2,
        totalMessages: 2,
      });
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toHaveLength(2);
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(2);
    },
  },
);

export const expiryAfterCrash = defineSpec(
  {
    level: "ttl",
    subject: "options.ttlSeconds after a crash",
    why: "A restart makes data that should expire permanent, or lets it go early.",
    hint: "Store the ttl and the last activity; no timer of the process may decide.",
    requires: ["ttl", "durability"],
    concurrent: true,
  },
  {
    "goes on from the last write": async ({ provider, crash }) => {
      expectOk(await provider.appendMessages("c", users("1"), owned, { ttlSeconds: 1 }));
      expectOk(await provider.appendMessages("kept", users("1"), {}, { ttlSeconds: 3_600 }));
      const reopened = await crash();
      await expired();
      await expectAbsent(reopened, "c");
      expect(expectOk(await reopened.findConversations({ userId: "u" }))).toEqual([]);
      expect(await readContents(reopened, "kept")).toEqual(["1"]);
    },

    "starts anew with a write that names none": async ({ provider, crash }) => {
      expectOk(await provider.appendMessages("c", users("1"), owned, { ttlSeconds: 2 }));
      await expired();
      const reopened = await crash();
      expectOk(await reopened.appendMessages("c", users("2")));
      await expired();
      expect(await readContents(reopened, "c")).toEqual(["1", "2"]);
      await expired();
      await expectAbsent(reopened, "c");
    },
  },
);
