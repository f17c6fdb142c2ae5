import { expect } from "vitest";
import { expectError, expectOk, readContents, readConversation } from "../expectations.ts";
import { users } from "../messages.ts";
import { defineSpec } from "../spec.ts";
import { nextInstant } from "../time.ts";
import { append, writes } from "../writes.ts";

export const idempotency = defineSpec(
  {
    level: "contract",
    subject: "options.idempotencyKey",
    why: "A request that is sent again after a lost reply must not say everything twice.",
    hint: "write(): look the key up in the same step, after the owner and before the version; keep keys per conversation.",
  },
  {
    "turns a retry into a success that changes nothing": async ({ provider }) => {
      for (const method of ["appendMessages", "storeMessages"] as const) {
        const write = () =>
          writes[method](provider, method, users("1", "2"), { userId: "alice" }, { idempotencyKey: "k" });
        expectOk(await write());
        const before = await readConversation(provider, method);
        await nextInstant();
        expectOk(await write());
        expect(await readConversation(provider, method)).toEqual(before);
      }
    },

    "refuses the key for other messages and writes nothing": async ({ provider }) => {
      for (const method of ["appendMessages", "storeMessages"] as const) {
        expectOk(await writes[method](provider, method, users("1"), {}, { idempotencyKey: "k" }));
        const before = await readConversation(provider, method);
        for (const other of [users("2"), users("1", "1"), []]) {
          const refused = await provider[method](method, other, { topic: "x" }, { idempotencyKey: "k" });
          const error = expectError(refused, "MemoryConflictError");
          expect(error).toMatchObject({ reason: "idempotency-key", operation: method, retryable: false });
        }
        expect(await readConversation(provider, method)).toEqual(before);
      }
    },

    "knows the key after other writes, also a replacement": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), {}, { idempotencyKey: "k" }));
      expectOk(await provider.appendMessages("c", users("2"), {}, { idempotencyKey: "k-2" }));
      expectOk(await provider.storeMessages("c", users("3")));
      expectOk(await provider.appendMessages("c", users("4"), {}, { maxMessages: 1 }));
      expectOk(await provider.appendMessages("c", users("1"), {}, { idempotencyKey: "k" }));
      expectOk(await provider.appendMessages("c", users("2"), {}, { idempotencyKey: "k-2" }));
      expect(await readContents(provider, "c")).toEqual(["4"]);
    },

    "knows the key for the next 1,000 writes": async ({ provider }) => {
      expectOk(await append(provider, "c", users("first"), {}, { idempotencyKey: "k" }));
      const lane = async (name: number) => {
        for (let write = 0; write < 50; write++) {
          const options = { idempotencyKey: `${name}-${write}`, maxMessages: 10 };
          expectOk(await provider.appendMessages("c", users("later"), {}, options));
        }
      };
      await Promise.all(Array.from({ length: 20 }, (_, name) => lane(name)));
      expectOk(await provider.appendMessages("c", users("first"), {}, { idempotencyKey: "k" }));
      expect((await readConversation(provider, "c")).metadata["version"]).toBe(1_001);
    },

    "answers a retry before it looks at the version": async ({ provider }) => {
      const options = { idempotencyKey: "k", expectedVersion: 0 };
      expectOk(await append(provider, "c", users("1"), {}, options));
      expectOk(await provider.appendMessages("c", users("1"), {}, options));
      expect(await readContents(provider, "c")).toEqual(["1"]);
    },

    "spends no key on a write that was refused": async ({ provider }) => {
      const stale = { idempotencyKey: "k", expectedVersion: 7 };
      expectError(await provider.appendMessages("c", users("1"), {}, stale), "MemoryConflictError");
      expectOk(await append(provider, "c", users("2"), {}, { idempotencyKey: "k" }));
      expect(await readContents(provider, "c")).toEqual(["2"]);
    },

    "shows another user nothing of a key": async ({ provider }) => {
      const write = (userId: string) =>
        append(provider, "c", users("1"), { userId }, { idempotencyKey: "k" });
      expectOk(await write("alice"));
      expect(expectError(await write("mallory"), "MemoryConflictError").reason).toBe("owner");
    },

    "keeps the keys of each conversation apart": async ({ provider }) => {
      for (const conversationId of ["a", "b", "a:k"]) {
        const options = { idempotencyKey: "k" };
        expectOk(await append(provider, conversationId, users(conversationId), {}, options));
      }
      for (const conversationId of ["a", "b", "a:k"]) {
        expect(await readContents(provider, conversationId)).toEqual([conversationId]);
      }
    },

    "makes a retry of an empty batch safe as well": async ({ provider }) => {
      expectOk(await append(provider, "c", [], { topic: "mine" }, { idempotencyKey: "k" }));
      expectOk(await provider.appendMessages("c", [], { topic: "theirs" }));
      expectOk(await provider.appendMessages("c", [], { topic: "mine" }, { idempotencyKey: "k" }));
      expect((await readConversation(provider, "c")).metadata["topic"]).toBe("theirs");
    },
  },
);
