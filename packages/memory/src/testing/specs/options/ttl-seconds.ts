import { expect } from "vitest";
import type { Result } from "../../../contract/errors.ts";
import type { WriteOptions } from "../../../contract/provider.ts";
import {
  expectAbsent,
  expectError,
  expectOk,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { forEachConcurrently, sleep } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

/** Waits until a lifetime of 1 second has certainly ended. */
const expired = () => sleep(1_100);

// `halfOfLong` waits for half of `LONG`. The calls of a test may take the other half.
/** A lifetime for tests in which the conversation must still exist after `halfOfLong`. */
const LONG = { ttlSeconds: 3 };
const halfOfLong = () => sleep(1_550);

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
    why: "Data outlives its retention time, or a chat disappears while it is in use.",
    hint: "write(): a ttl counts from the last write, is kept if not given, and ends with a deletion; every read checks it.",
    requires: ["ttl"],
    concurrent: true,
  },
  {
    "removes a conversation as if it were deleted": async (scenario) => {
      const { provider } = scenario;
      expectOk(await provider.storeMessages("c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      await expectGone(scenario);
    },

    "removes a conversation that an append has created": async (scenario) => {
      expectOk(await append(scenario.provider, "c", users("1"), owned, { ttlSeconds: 1 }));
      await expired();
      await expectGone(scenario);
    },

    "lets the id start again, with nothing of the expired one": async ({ provider }) => {
      const options = { ttlSeconds: 1, idempotencyKey: "k" };
      expectOk(await append(provider, "c", users("old", "old"), owned, options));
      // The result is `null` if the calls took longer than the lifetime.
      const before = expectOk(await provider.getConversation("c"))?.metadata?.createdAt ?? new Date(0);
      await expired();
      const again = { idempotencyKey: "k", expectedVersion: 0 };
      expectOk(await append(provider, "c", users("new"), { userId: "v" }, again));
      const after = await readConversation(provider, "c");
      expect(after).toMatchObject({ userId: "v", messages: users("new") });
      expect(after.metadata).toMatchObject({ version: 1, totalMessages: 1 });
      expect(after.metadata).not.toHaveProperty("topic");
      expect(after.metadata.createdAt.getTime()).toBeGreaterThan(before.getTime());
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      await expired();
      expect(await readContents(provider, "c"), "the old ttl went with the old conversation").toEqual([
        "new",
      ]);
    },

    "restarts with each write, even one without a ttl": async ({ provider }) => {
      const write = (method: "appendMessages" | "storeMessages") => ({
        id: method,
        again: async () => expectOk(await provider[method](method, users("2"), owned)),
      });
      const writes = [write("appendMessages"), write("storeMessages")];
      await forEachConcurrently(writes, async ({ id }) => {
        expectOk(await append(provider, id, users("1"), owned, LONG));
      });
      await halfOfLong();
      await forEachConcurrently(writes, ({ again }) => again());
      await halfOfLong();
      const left = await Promise.all(writes.map(({ id }) => readContents(provider, id)));
      expect(left).toEqual([["1", "2"], ["2"]]);
    },

    "isn't restarted by a read": async (scenario) => {
      const { provider } = scenario;
      expectOk(await append(provider, "c", users("1"), owned, LONG));
      await halfOfLong();
      const reads = [
        provider.getConversation("c"),
        provider.getRecentMessages("c"),
        provider.findConversations({ userId: "u" }),
        provider.getStats("u"),
      ];
      await Promise.all(reads.map(async (read: Promise<Result<unknown>>) => expectOk(await read)));
      await halfOfLong();
      await expectGone(scenario);
    },

    "isn't restarted by a refused write or a retry": async (scenario) => {
      const { provider } = scenario;
      const options = { ...LONG, idempotencyKey: "k" };
      expectOk(await append(provider, "c", users("1"), owned, options));
      await halfOfLong();
      const refused = [
        provider.appendMessages("c", users("2"), {}, { expectedVersion: 9, ttlSeconds: 60 }),
        provider.appendMessages("c", users("2"), { userId: "mallory" }, { ttlSeconds: 60 }),
        provider.storeMessages("c", users("2"), {}, options),
      ];
      const retried = provider.appendMessages("c", users("1"), owned, options);
      for (const result of await Promise.all(refused)) expectError(result, "MemoryConflictError");
      expectOk(await retried);
      await halfOfLong();
      await expectGone(scenario);
    },

    "is the last one given, even after a replacement": async ({ provider }) => {
      const write = async (id: string, first: WriteOptions, second: WriteOptions) => {
        expectOk(await append(provider, id, users("1"), {}, first));
        expectOk(await provider.appendMessages(id, users("2"), {}, second));
      };
      const replace = async (id: string, first: WriteOptions, second: WriteOptions) => {
        expectOk(await append(provider, id, users("1"), {}, first));
        expectOk(await provider.storeMessages(id, users("2"), {}, second));
      };
      await Promise.all([
        write("longer", LONG, { ttlSeconds: 3_600 }),
        replace("shorter", { ttlSeconds: 3_600 }, { ttlSeconds: 1 }),
        replace("replaced", LONG, {}),
        write("continued", LONG, {}),
      ]);
      expectOk(await append(provider, "again", users("1"), {}, { ttlSeconds: 1 }));
      expectOk(await provider.deleteConversation("again"));
      expectOk(await append(provider, "again", users("2")));
      await halfOfLong();
      await halfOfLong();
      expect(await readContents(provider, "longer")).toEqual(["1", "2"]);
      for (const id of ["shorter", "replaced", "continued"]) await expectAbsent(provider, id);
      expect(await readContents(provider, "again"), "a deletion removes the ttl").toEqual(["2"]);
    },

    "keeps conversations without one": async ({ provider }) => {
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
    why: "A restart makes expiring data permanent, or removes it early.",
    hint: "Store the ttl and the last activity; don't depend on a timer of the process.",
    requires: ["ttl", "durability"],
    concurrent: true,
  },
  {
    "continues from the last write": async ({ provider, crash }) => {
      expectOk(await append(provider, "c", users("1"), owned, { ttlSeconds: 1 }));
      expectOk(await append(provider, "kept", users("1"), {}, { ttlSeconds: 3_600 }));
      const reopened = await crash();
      await expired();
      await expectAbsent(reopened, "c");
      expect(expectOk(await reopened.findConversations({ userId: "u" }))).toEqual([]);
      expect(await readContents(reopened, "kept")).toEqual(["1"]);
    },

    "restarts with a write without one": async ({ provider, crash }) => {
      for (const id of ["kept", "gone"]) {
        expectOk(await append(provider, id, users("1"), owned, LONG));
      }
      const reopened = await crash();
      expectOk(await reopened.appendMessages("gone", users("2")));
      await halfOfLong();
      expectOk(await reopened.appendMessages("kept", users("2")));
      await halfOfLong();
      expect(await readContents(reopened, "kept")).toEqual(["1", "2"]);
      await expectAbsent(reopened, "gone");
    },
  },
);
