import { expect } from "vitest";
import {
  expectAbsent,
  expectConflict,
  expectOk,
  incarnationOf,
  read,
  readContents,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const owned = { userId: "u" };

export const identitiesAfterCrash = defineSpec(
  {
    level: "crash",
    subject: "what a write expects, after a crash",
    why: "After a restart, earlier runs write into erased conversations, or are refused although nothing has changed.",
    hint: "Incarnations, tombstones, counters, ids of messages and receipts are part of the storage.",
    requires: ["durability"],
  },
  {
    "an incarnation is unchanged": async ({ provider, crash }) => {
      expectOk(await append(provider, "c", users("1"), owned));
      const expectedIncarnation = await incarnationOf(provider);
      const reopened = await crash();
      expect(await incarnationOf(reopened)).toBe(expectedIncarnation);
      expectOk(await reopened.appendMessages("c", users("2"), {}, { expectedIncarnation }));
    },

    "erasures are detected": async ({ provider, crash }) => {
      const none = await incarnationOf(provider, "none", "v");
      const never = await incarnationOf(provider, "never", "v");
      expectOk(await append(provider, "c", users("1"), owned));
      const erased = await incarnationOf(provider);
      expectOk(await provider.deleteConversation("c"));
      expectOk(await provider.deleteConversation("none"));
      expectOk(await provider.clearUserConversations("v"));
      const reopened = await crash();
      const stale = { c: erased, none, never };
      for (const [id, expectedIncarnation] of Object.entries(stale)) {
        const metadata = { userId: id === "c" ? "u" : "v" };
        expectConflict(
          await append(reopened, id, users("x"), metadata, { expectedIncarnation }),
          "incarnation",
        );
        await expectAbsent(reopened, id);
      }
    },

    "counters, ids of messages and receipts are unchanged": async ({ provider, crash }) => {
      const options = { idempotencyKey: "k", messageIds: ["a", "b", "c"] };
      expectOk(await append(provider, "c", users("1", "2", "3"), { x: 1 }, options));
      expectOk(await provider.appendMessages("c", users("4"), { y: 1 }, { dropLast: 1, maxMessages: 2 }));
      const before = await read(provider, { receiptFor: "k" });
      const reopened = await crash();
      expect(await read(reopened, { receiptFor: "k" })).toEqual({ ...before, readAt: expect.any(Date) });
      expect(before).toMatchObject({ receipt: { nextPosition: 3 }, firstPosition: 1 });
      const next = { expectedVersion: 2, expectedMetadataVersion: 2, messageIds: ["b", "a"] };
      expectOk(await reopened.appendMessages("c", users("2", "5"), {}, next));
      expect(await readContents(reopened, "c")).toEqual(["2", "4", "5"]);
      const refused = await reopened.appendMessages("c", users("x"), {}, { messageIds: ["a"] });
      expectConflict(refused, "message-id");
    },
  },
);
