import { expect } from "vitest";
import type { MemoryProvider } from "../../../contract/provider.ts";
import {
  expectAbsent,
  expectError,
  expectOk,
  ids,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { answering, append, calling, user, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";
import {
  batchOf,
  editionOf,
  expectWholeBatches,
  replaceUntilCrash,
  writeUntilCrash,
} from "./interruption.ts";

const owned = { userId: "u", traceId: "t-1", topic: "x", at: new Date(5), nested: { a: [1, null] } };

/** Stores one conversation with all kinds of data (e.g. tool calls, metadata, an idempotency key). */
async function storeOne(provider: MemoryProvider): Promise<void> {
  expectOk(await append(provider, "c", [user("ask"), calling("a")], owned, { idempotencyKey: "k-1" }));
  expectOk(
    await provider.appendMessages("c", [answering("a")], { traceId: "t-2" }, { idempotencyKey: "k-2" }),
  );
}

/** Returns everything that the provider's methods return about the conversation that `storeOne` stores. */
const show = async (provider: MemoryProvider) => ({
  conversation: await readConversation(provider, "c"),
  recent: expectOk(await provider.getRecentMessages("c")),
  ofUser: expectOk(await provider.findConversations({ userId: "u" })),
  ofFirstTrace: ids(expectOk(await provider.findConversations({ traceId: "t-1" }))),
  ofLastTrace: ids(expectOk(await provider.findConversations({ traceId: "t-2" }))),
  stats: expectOk(await provider.getStats("u")),
});

export const crashes = defineSpec(
  {
    level: "crash",
    subject: "after a crash",
    why: "A deployment, an out-of-memory kill or a power cut loses a part of a user's conversation.",
    hint: "Only acknowledge stored data; keep nothing in memory that isn't in the storage, too.",
    requires: ["durability"],
  },
  {
    "everything acknowledged is there, once and in order": async ({ provider, crash }) => {
      const texts = Array.from({ length: 30 }, (_, index) => `${index}`);
      for (const text of texts) expectOk(await append(provider, "c", users(text)));
      expectOk(await provider.storeMessages("stored", users("1", "2")));
      const reopened = await crash();
      expect(await readContents(reopened, "c")).toEqual(texts);
      expect(await readContents(reopened, "stored")).toEqual(["1", "2"]);
    },

    "metadata, owner, dates, traces and counts are unchanged": async ({ provider, crash }) => {
      await storeOne(provider);
      const before = await show(provider);
      expect(await show(await crash())).toEqual(before);
    },

    "a retry under the same key changes nothing": async ({ provider, crash }) => {
      await storeOne(provider);
      const before = await readConversation(provider, "c");
      const reopened = await crash();
      const first = [user("ask"), calling("a")];
      expectOk(await reopened.appendMessages("c", first, owned, { idempotencyKey: "k-1" }));
      expectOk(
        await reopened.appendMessages("c", [answering("a")], { traceId: "t-2" }, { idempotencyKey: "k-2" }),
      );
      expect(await readConversation(reopened, "c")).toEqual(before);
    },

    "a key is refused for other messages": async ({ provider, crash }) => {
      await storeOne(provider);
      const refused = await (await crash()).appendMessages(
        "c",
        users("other"),
        {},
        { idempotencyKey: "k-1" },
      );
      expect(expectError(refused, "MemoryConflictError").reason).toBe("idempotency-key");
    },

    "versions continue": async ({ provider, crash }) => {
      for (const text of ["1", "2", "3"]) {
        expectOk(await append(provider, "c", users(text), {}, { maxMessages: 1 }));
      }
      const reopened = await crash();
      const stale = await reopened.appendMessages("c", users("x"), {}, { expectedVersion: 1 });
      expect(expectError(stale, "MemoryConflictError")).toMatchObject({
        reason: "version",
        actualVersion: 3,
      });
      expectOk(await reopened.appendMessages("c", users("4"), {}, { expectedVersion: 3 }));
      expect((await readConversation(reopened, "c")).metadata).toMatchObject({
        version: 4,
        totalMessages: 2,
        nextPosition: 4,
      });
    },

    "the owner is protected from others": async ({ provider, crash }) => {
      await storeOne(provider);
      const refused = await (await crash()).appendMessages("c", users("mine"), { userId: "mallory" });
      expect(expectError(refused, "MemoryConflictError").reason).toBe("owner");
    },

    "replaced, trimmed or deleted data doesn't come back": async ({ provider, crash }) => {
      expectOk(await append(provider, "replaced", users("1", "2"), { old: true }));
      expectOk(await provider.storeMessages("replaced", users("3")));
      expectOk(await append(provider, "trimmed", users("1", "2")));
      expectOk(await provider.appendMessages("trimmed", users("3"), {}, { maxMessages: 2 }));
      for (const id of ["deleted", "again"]) {
        expectOk(await append(provider, id, users("1"), { traceId: "t" }, { idempotencyKey: "k" }));
        expectOk(await provider.deleteConversation(id));
      }
      expectOk(await append(provider, "again", users("2"), {}, { idempotencyKey: "k" }));
      expectOk(await append(provider, "cleared", users("1"), { userId: "u" }));
      expectOk(await provider.clearUserConversations("u"));
      const reopened = await crash();
      expect(await readContents(reopened, "replaced")).toEqual(["3"]);
      expect((await readConversation(reopened, "replaced")).metadata).not.toHaveProperty("old");
      expect(await readContents(reopened, "trimmed")).toEqual(["2", "3"]);
      expect(await readContents(reopened, "again")).toEqual(["2"]);
      for (const id of ["deleted", "cleared"]) await expectAbsent(reopened, id);
      expect(expectOk(await reopened.findConversations({ traceId: "t" }))).toEqual([]);
    },

    "it continues, and survives the next crash": async ({ provider, crash }) => {
      let current = provider;
      for (let life = 0; life < 3; life++) {
        const options = { idempotencyKey: `k-${life}`, expectedVersion: life };
        expectOk(await append(current, "c", users(`${life}/0`, `${life}/1`), {}, options));
        current = await crash();
      }
      expect(await readContents(current, "c")).toEqual(["0/0", "0/1", "1/0", "1/1", "2/0", "2/1"]);
    },
  },
);

const WRITERS = 6;

export const interruptedWrites = defineSpec(
  {
    level: "crash",
    subject: "writes that a crash cuts off",
    why: "The client retries after the crash, and finds half of its last write, or all of it twice.",
    hint: "One write is one atomic step of the storage: a transaction, a script, one line or one rename.",
    requires: ["durability"],
  },
  {
    "are stored completely or not at all, and acknowledged ones are stored": async (scenario) => {
      const { reopened, acknowledged } = await writeUntilCrash(scenario, WRITERS);
      await expectWholeBatches(reopened, acknowledged);
    },

    "are stored once if they are sent again under their keys": async (scenario) => {
      const { reopened, acknowledged, begun } = await writeUntilCrash(scenario, WRITERS);
      for (let writer = 0; writer < WRITERS; writer++) {
        for (let batch = 0; batch < (begun[writer] ?? 0); batch++) {
          const { messages, options } = batchOf(writer, batch);
          expectOk(await append(reopened, "c", messages, {}, options));
        }
      }
      for (const [writer, count] of acknowledged.entries()) {
        expect(count, `acknowledged of writer ${writer}`).toBeLessThanOrEqual(begun[writer] ?? 0);
      }
      expect(await expectWholeBatches(reopened, begun)).toEqual(begun);
    },

    "of a replacement leave the old conversation or the new one": async (scenario) => {
      let { provider } = scenario;
      for (const delay of [0, 1, 2, 3]) {
        const { reopened, acknowledged, faults } = await replaceUntilCrash({ ...scenario, provider }, delay);
        expect(faults, "a call that was cut off fails, and throws nothing").toEqual([]);
        const { messages, metadata } = await readConversation(reopened, "c");
        const edition = Number(metadata["edition"]);
        expect(edition, "the last edition that was acknowledged").toBeGreaterThanOrEqual(acknowledged);
        expect(messages).toEqual(editionOf(edition));
        provider = reopened;
      }
    },
  },
);
