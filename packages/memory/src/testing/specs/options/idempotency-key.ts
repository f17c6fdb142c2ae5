import { expect } from "vitest";
import type { WriteMetadata, WriteOptions } from "../../../contract/provider.ts";
import {
  expectConflict,
  expectError,
  expectOk,
  incarnationOf,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users, type WriteArguments, writeMethods, writes } from "../../fixtures/messages.ts";
import { nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

export const idempotency = defineSpec(
  {
    level: "contract",
    subject: "options.idempotencyKey",
    why: "A request that is sent again after a lost reply stores everything twice.",
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

    "knows the key after other writes, even a replacement": async ({ provider }) => {
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

    "answers a retry before it checks the version": async ({ provider }) => {
      const options = { idempotencyKey: "k", expectedVersion: 0 };
      expectOk(await append(provider, "c", users("1"), {}, options));
      expectOk(await provider.appendMessages("c", users("1"), {}, options));
      expect(await readContents(provider, "c")).toEqual(["1"]);
    },

    "uses no key for a refused write": async ({ provider }) => {
      const stale = { idempotencyKey: "k", expectedVersion: 7 };
      expectError(await provider.appendMessages("c", users("1"), {}, stale), "MemoryConflictError");
      expectOk(await append(provider, "c", users("2"), {}, { idempotencyKey: "k" }));
      expect(await readContents(provider, "c")).toEqual(["2"]);
    },

    "shows nothing of a key to another user": async ({ provider }) => {
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

const KEY = { idempotencyKey: "k" };

const write = (metadata: WriteMetadata = {}, options: WriteOptions = {}): WriteArguments => [
  users("1"),
  metadata,
  { ...KEY, ...options },
];

/** By title: a first write, and other writes that must be refused after it if they have its idempotency key. */
const others: Readonly<Record<string, readonly [first: WriteArguments, ...others: WriteArguments[]]>> = {
  "a metadata field of another value": [
    write({ title: "old" }),
    write({ title: "new" }),
    write({ title: ["old"] }),
    write({ title: null }),
  ],
  "more or fewer metadata": [write({ x: 1, y: 2 }), write({ x: 1 }), write({ x: 1, y: 2, z: 3 }), write()],
  "another nested value": [
    write({ at: { a: new Date(1) } }),
    write({ at: { a: new Date(2) } }),
    write({ at: { a: 1 } }),
  ],
  "an owner": [write({ x: 1 }), write({ x: 1, userId: "u" })],
  "another trace": [write({ traceId: "t" }), write({ traceId: "T" }), write()],
  "another limit": [write({}, { maxMessages: 5 }), write({}, { maxMessages: 6 }), write()],
  "another time to live": [write({}, { ttlSeconds: 500 }), write({}, { ttlSeconds: 600 }), write()],
  "other ids of messages": [
    write({}, { messageIds: ["a"] }),
    write({}, { messageIds: ["b"] }),
    write({}, { messageIds: [null] }),
    write(),
  ],
};

const coverage = Object.fromEntries(
  Object.entries(others).map(([what, [first, ...rest]]) => [
    `refuses the key with ${what}, and changes nothing`,
    async ({ provider }: Scenario) => {
      for (const method of writeMethods) {
        expectOk(await writes[method](provider, method, ...first));
        const before = await readConversation(provider, method);
        for (const other of rest) {
          expectConflict(await writes[method](provider, method, ...other), "idempotency-key");
        }
        expectOk(await writes[method](provider, method, ...first));
        expect(await readConversation(provider, method)).toEqual(before);
      }
    },
  ]),
);

export const keyCoverage = defineSpec(
  {
    level: "contract",
    subject: "options.idempotencyKey, what it covers",
    why: "A different write is treated as a retry of the first: its caller gets a success, but it isn't stored.",
    hint: "write(): compare the given `bodyHash` with the stored one; don't compute your own.",
  },
  {
    ...coverage,

    "refuses the key with more or fewer messages dropped": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2", "3", "4")));
      expectOk(await provider.appendMessages("c", users("x"), {}, { ...KEY, dropLast: 1 }));
      for (const options of [KEY, { ...KEY, dropLast: 2 }, { ...KEY, dropLast: 0 }]) {
        expectConflict(await provider.appendMessages("c", users("x"), {}, options), "idempotency-key");
      }
      expectOk(await provider.appendMessages("c", users("x"), {}, { ...KEY, dropLast: 1 }));
      expect((await readConversation(provider, "c")).messages).toEqual(users("1", "2", "3", "x"));
    },

    "refuses the key of an append with a replacement, and the other way round": async ({ provider }) => {
      expectOk(await append(provider, "appended", users("1"), {}, KEY));
      expectConflict(await provider.storeMessages("appended", users("1"), {}, KEY), "idempotency-key");
      expectOk(await provider.storeMessages("stored", users("1"), {}, KEY));
      expectConflict(await provider.appendMessages("stored", users("1"), {}, KEY), "idempotency-key");
    },

    "excludes expectations, and whether the write creates": async ({ provider }) => {
      const given = [users("1"), { x: 1 }] as const;
      const expectedIncarnation = await incarnationOf(provider);
      const first = { ...KEY, expectedIncarnation, expectedVersion: 0, createIfMissing: "unowned" } as const;
      expectOk(await provider.appendMessages("c", ...given, first));
      const before = await readConversation(provider, "c");
      const retries: readonly WriteOptions[] = [
        KEY,
        { ...KEY, expectedVersion: 7 },
        { ...KEY, expectedMetadataVersion: 7 },
        { ...KEY, expectedIncarnation: "another" },
        { ...KEY, createIfMissing: false, dropLast: 0 },
      ];
      for (const options of retries) expectOk(await provider.appendMessages("c", ...given, options));
      expect(await readConversation(provider, "c")).toEqual(before);
    },

    "excludes the order of metadata fields": async ({ provider }) => {
      expectOk(await append(provider, "c", [], { x: 1, y: 2, traceId: "t" }, KEY));
      expectOk(await append(provider, "c", [], { traceId: "t", y: 2, x: 1 }, KEY));
      expect((await readConversation(provider, "c")).metadata.metadataVersion).toBe(1);
    },
  },
);
