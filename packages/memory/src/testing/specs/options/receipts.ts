import { expect } from "vitest";
import {
  receiptOf as receiptOfWrite,
  type VersionedMemoryProvider,
} from "../../../contract/versioned-provider.ts";
import { expectConflict, expectOk, read } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

/**
 * Returns `nextPosition` from the receipt of the write with the idempotency key `receiptFor`; `undefined` without a
 * receipt.
 */
async function receiptOf(provider: VersionedMemoryProvider, receiptFor: string, conversationId = "c") {
  return (await read(provider, { messages: "none", receiptFor }, conversationId)).receipt?.nextPosition;
}

const key = (idempotencyKey: string) => ({ idempotencyKey });

export const receipts = defineSpec(
  {
    level: "contract",
    subject: "receipts",
    why: "After a crash it is unknown whether the last write succeeded: the turn is paid for twice, or lost.",
    hint: "write() stores the position after the last message with the key; read() looks it up in the same step.",
  },
  {
    "return the end of a write, even after other writes": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), {}, key("first")));
      expectOk(await provider.appendMessages("c", users("3"), {}, key("second")));
      expect(await receiptOf(provider, "first")).toBe(2);
      expect(await receiptOf(provider, "second")).toBe(3);
      expectOk(await provider.appendMessages("c", users("4", "5")));
      expectOk(await provider.appendMessages("c", [], {}, { ...key("trim"), maxMessages: 1 }));
      expectOk(await provider.appendMessages("c", users("6"), {}, { ...key("drop"), dropLast: 1 }));
      expectOk(await provider.appendMessages("c", [], { x: 1 }, key("metadata")));
      expectOk(await provider.storeMessages("c", users("7", "8", "9"), {}, key("replace")));
      const all = { first: 2, second: 3, trim: 5, drop: 5, metadata: 5, replace: 8 };
      for (const [name, position] of Object.entries(all))
        expect(await receiptOf(provider, name), name).toBe(position);
    },

    "return the incarnation of the conversation that a write created": async ({ provider }) => {
      const absent = { expectedVersion: 0, ...key("first") };
      const created = receiptOfWrite(await append(provider, "c", users("1"), {}, absent));
      // Receipts from writes are optional, so the test ends here if the backend returns none.
      if (created === undefined) return;
      const { incarnation } = await read(provider);
      expect(created.incarnation).toBe(incarnation);
      // A write that is repeated under its idempotency key returns no receipt. The first attempt may have written to a
      // conversation that no longer exists.
      expect(receiptOfWrite(await append(provider, "c", users("1"), {}, absent))).toBeUndefined();
      const next = await provider.appendMessages("c", users("2"), {}, { expectedVersion: 1 });
      expect(receiptOfWrite(next)).not.toHaveProperty("incarnation");
    },

    "are unchanged after a retry": async ({ provider }) => {
      const write = () => append(provider, "c", users("1"), {}, key("k"));
      expectOk(await write());
      expectOk(await provider.appendMessages("c", users("2")));
      expectOk(await write());
      expect(await receiptOf(provider, "k")).toBe(1);
    },

    "don't exist for refused writes and unknown keys": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { userId: "u" }, key("k")));
      const stale = { ...key("stale"), expectedVersion: 7 };
      expectConflict(await provider.appendMessages("c", users("2"), {}, stale), "version");
      expectConflict(await provider.appendMessages("c", users("2"), {}, key("k")), "idempotency-key");
      expectConflict(await provider.appendMessages("c", users("2"), { userId: "v" }, key("v")), "owner");
      for (const none of ["stale", "v", "K", "k ", "unknown"])
        expect(await receiptOf(provider, none)).toBeUndefined();
      expect(await receiptOf(provider, "k")).toBe(1);
    },

    "belong to their conversation, and are deleted with it": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), {}, key("k")));
      expectOk(await append(provider, "d", users("1", "2"), {}, key("k")));
      expectOk(await append(provider, "e", users("1")));
      expect(await receiptOf(provider, "k")).toBe(1);
      expect(await receiptOf(provider, "k", "d")).toBe(2);
      for (const none of ["e", "f"]) expect(await receiptOf(provider, "k", none)).toBeUndefined();
      expectOk(await provider.deleteConversation("c"));
      expect(await receiptOf(provider, "k")).toBeUndefined();
      expectOk(await append(provider, "c", users("1")));
      expect(await receiptOf(provider, "k")).toBeUndefined();
    },

    "are only returned if requested": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), {}, key("k")));
      expect(await read(provider)).not.toHaveProperty("receipt");
      expect(await read(provider, { receiptFor: "other" })).not.toHaveProperty("receipt");
      const reading = await read(provider, { receiptFor: "k" });
      expect(reading).toMatchObject({ receipt: { nextPosition: 1 }, conversation: { messages: users("1") } });
    },
  },
);
