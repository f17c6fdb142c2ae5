import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import {
  expectAbsent,
  expectConflict,
  expectError,
  expectOk,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

type Write = (provider: VersionedMemoryProvider) => ReturnType<VersionedMemoryProvider["appendMessages"]>;

/** A write, and the conversation's version, number of messages and next position after this write. */
type Step = readonly [title: string, write: Write, version: number, total: number, nextPosition: number];

const ID = { messageIds: ["own"] };

const steps: readonly Step[] = [
  ["a creation", (p) => append(p, "c", users("1", "2")), 1, 2, 2],
  ["a batch of one", (p) => p.appendMessages("c", users("3")), 2, 3, 3],
  ["metadata alone", (p) => p.appendMessages("c", [], { topic: "t" }), 2, 3, 3],
  ["nothing at all", (p) => p.appendMessages("c", []), 2, 3, 3],
  ["a trim with nothing to trim", (p) => p.appendMessages("c", [], {}, { maxMessages: 3 }), 2, 3, 3],
  ["a trim of an empty batch", (p) => p.appendMessages("c", [], {}, { maxMessages: 2 }), 3, 2, 3],
  ["a batch that is trimmed", (p) => p.appendMessages("c", users("4", "5"), {}, { maxMessages: 2 }), 4, 2, 5],
  ["no message dropped", (p) => p.appendMessages("c", [], {}, { dropLast: 0 }), 4, 2, 5],
  ["a message dropped", (p) => p.appendMessages("c", [], {}, { dropLast: 1 }), 5, 1, 4],
  ["the end replaced", (p) => p.appendMessages("c", users("6", "7"), {}, { dropLast: 1 }), 6, 2, 5],
  ["a replacement", (p) => p.storeMessages("c", users("8")), 7, 1, 6],
  ["a replacement by nothing", (p) => p.storeMessages("c", []), 8, 0, 6],
  ["nothing replaced by nothing", (p) => p.storeMessages("c", []), 9, 0, 6],
  ["a message with an id of its own", (p) => p.appendMessages("c", users("9"), {}, ID), 10, 1, 7],
  ["the same message again", (p) => p.appendMessages("c", users("9"), {}, ID), 10, 1, 7],
  [
    "metadata beside a message that is there",
    (p) => p.appendMessages("c", users("9"), { x: 1 }, ID),
    10,
    1,
    7,
  ],
];

export const versions = defineSpec(
  {
    level: "contract",
    subject: "version",
    why: "Two writers change the same messages without noticing each other.",
    hint: "write(): add one with every write that adds, drops or trims messages and with every replacement; count positions separately.",
  },
  {
    "increases by one only with every change of messages": async ({ provider }) => {
      for (const [title, write, version, totalMessages, nextPosition] of steps) {
        expectOk(await write(provider));
        const {
          version: actual,
          totalMessages: total,
          nextPosition: next,
        } = (await readConversation(provider, "c")).metadata;
        expect([actual, total, next], `version, messages and next position after ${title}`).toEqual([
          version,
          totalMessages,
          nextPosition,
        ]);
      }
    },

    "is 1 after a creation, even of an empty conversation": async ({ provider }) => {
      expectOk(await append(provider, "appended", []));
      expectOk(await provider.storeMessages("stored", []));
      for (const id of ["appended", "stored"]) {
        const { metadata } = await readConversation(provider, id);
        expect(metadata).toMatchObject({ version: 1, totalMessages: 0, nextPosition: 0 });
      }
    },

    "lets one of two replacements by nothing pass": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expectOk(await provider.storeMessages("c", [], {}, { expectedVersion: 1 }));
      const second = await provider.storeMessages("c", [], {}, { expectedVersion: 1 });
      expect(expectConflict(second, "version").actualVersion).toBe(2);
    },

    "lets one of two trims, and of two drops, pass": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2", "3", "4")));
      const trim = () => provider.appendMessages("c", [], {}, { expectedVersion: 1, maxMessages: 3 });
      expectOk(await trim());
      expectConflict(await trim(), "version");
      const pop = () => provider.appendMessages("c", [], {}, { expectedVersion: 2, dropLast: 1 });
      expectOk(await pop());
      expectConflict(await pop(), "version");
      expect((await readConversation(provider, "c")).messages).toEqual(users("2", "3"));
    },

    "is unchanged by retries and refused writes": async ({ provider }) => {
      const write = () => append(provider, "c", users("1"), { userId: "u" }, { idempotencyKey: "k" });
      expectOk(await write());
      expectOk(await write());
      expectConflict(await provider.appendMessages("c", [], {}, { dropLast: 5 }), "length");
      expectConflict(await provider.appendMessages("c", users("2"), { userId: "v" }), "owner");
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ version: 1, nextPosition: 1 });
    },

    "is the same in every read": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u", x: 1 }, { maxMessages: 2 }));
      expectOk(await provider.appendMessages("c", [], {}, { dropLast: 1 }));
      const numbers = { version: 2, metadataVersion: 1, totalMessages: 1, nextPosition: 2 };
      expect((await readConversation(provider, "c")).metadata).toMatchObject(numbers);
      for (const query of [{ userId: "u" }, { includeMessages: false }]) {
        const [found] = expectOk(await provider.findConversations(query));
        expect(found?.metadata).toMatchObject(numbers);
      }
      const reading = expectOk(await provider.readConversation("c", { messages: "none" }));
      expect(reading.conversation?.metadata).toMatchObject(numbers);
    },
  },
);

export const expectedVersion = defineSpec(
  {
    level: "contract",
    subject: "options.expectedVersion",
    why: "Two tabs of one chat overwrite each other without noticing.",
    hint: "write(): compare with the count of changes of messages, in the step that writes.",
  },
  {
    "lets a write with the current version pass": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), {}, { expectedVersion: 0 }));
      expectOk(await provider.appendMessages("c", users("3"), {}, { expectedVersion: 1 }));
      expectOk(await provider.storeMessages("c", users("4"), {}, { expectedVersion: 2 }));
      expectOk(await provider.appendMessages("c", [], { topic: "t" }, { expectedVersion: 3 }));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({ version: 3, topic: "t" });
    },

    "refuses a write that is too late, returns the version, and writes nothing": async ({ provider }) => {
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

    "refuses to continue a missing conversation, and creates none": async ({ provider }) => {
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

    "continues when messages are trimmed": async ({ provider }) => {
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
