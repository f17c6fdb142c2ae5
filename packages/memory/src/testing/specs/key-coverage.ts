import { expect } from "vitest";
import type { WriteMetadata, WriteOptions } from "../../provider.ts";
import { expectConflict, expectOk, incarnationOf, readConversation } from "../expectations.ts";
import { users } from "../messages.ts";
import { defineSpec, type Scenario } from "../spec.ts";
import { append, type WriteArguments, writeMethods, writes } from "../writes.ts";

const KEY = { idempotencyKey: "k" };

const write = (metadata: WriteMetadata = {}, options: WriteOptions = {}): WriteArguments => [
  users("1"),
  metadata,
  { ...KEY, ...options },
];

/** A write, and others that say something else under the same key. */
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
    why: "A second, other write is taken for a retry of the first: its caller is told that it was stored, and it wasn't.",
    hint: "write(): compare `bodyHash` with the one that was kept under the key, and compute none of your own.",
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

    "leaves out what a write expects, and whether it creates": async ({ provider }) => {
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

    "leaves out the order of metadata fields": async ({ provider }) => {
      expectOk(await append(provider, "c", [], { x: 1, y: 2, traceId: "t" }, KEY));
      expectOk(await append(provider, "c", [], { traceId: "t", y: 2, x: 1 }, KEY));
      expect((await readConversation(provider, "c")).metadata.metadataVersion).toBe(1);
    },
  },
);
