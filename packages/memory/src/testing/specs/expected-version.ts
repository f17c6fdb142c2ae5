import { expect } from "vitest";
import { expectAbsent, expectError, expectOk, readConversation } from "../expectations.ts";
import { users } from "../messages.ts";
import { defineSpec } from "../spec.ts";
import { append } from "../writes.ts";

export const expectedVersion = defineSpec(
  {
    level: "contract",
    subject: "options.expectedVersion",
    why: "Two tabs of one chat overwrite each other without noticing.",
    hint: "write(): compare with the count of changes of messages, in the step that writes.",
  },
  {
    "lets a write pass that knows the version": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), {}, { expectedVersion: 0 }));
      expectOk(await provider.appendMessages("c", users("3"), {}, { expectedVersion: 1 }));
      expectOk(await provider.storeMessages("c", users("4"), {}, { expectedVersion: 2 }));
      expectOk(await provider.appendMessages("c", [], { topic: "t" }, { expectedVersion: 3 }));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({ version: 3, topic: "t" });
    },

    "refuses a write that comes too late, says the version, and writes nothing": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), { userId: "alice" }));
      const before = await readConversation(provider, "c");
      for (const method of ["appendMessages", "storeMessages"] as const) {
        for (const stale of [0, 2, 3, Number.MAX_SAFE_INTEGER]) {
          const refused = await provider[method](
            "c",
            users("x"),
            { traceId: "t" },
            { expectedVersion: stale },
          );
          expect(expectError(refused, "MemoryConflictError")).toMatchObject({
            reason: "version",
            actualVersion: 1,
            operation: method,
            retryable: false,
          });
        }
      }
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
    },

    "refuses to continue a conversation that is not there, and creates none": async ({ provider }) => {
      for (const method of ["appendMessages", "storeMessages"] as const) {
        const metadata = { userId: "alice", traceId: "t" };
        const refused = await provider[method]("c", users("1"), metadata, { expectedVersion: 1 });
        const error = expectError(refused, "MemoryConflictError");
        expect(error).toMatchObject({ reason: "version", actualVersion: 0 });
        await expectAbsent(provider, "c");
      }
      expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
      expect(expectOk(await provider.findConversations({ userId: "alice" }))).toEqual([]);
    },

    "is 1 for a stored conversation that is still empty": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", []));
      const refused = await provider.appendMessages("c", users("1"), {}, { expectedVersion: 0 });
      const error = expectError(refused, "MemoryConflictError");
      expect(error).toMatchObject({ reason: "version", actualVersion: 1 });
      expectOk(await provider.appendMessages("c", users("1"), {}, { expectedVersion: 1 }));
      expect((await readConversation(provider, "c")).metadata["version"]).toBe(2);
    },

    "goes on counting when messages are trimmed": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), {}, { maxMessages: 1 }));
      expectOk(await provider.appendMessages("c", users("4"), {}, { expectedVersion: 1, maxMessages: 1 }));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 2,
        totalMessages: 1,
        nextPosition: 4,
      });
    },
  },
);
