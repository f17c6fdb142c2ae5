import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { MemoryProvider } from "../../../contract/provider.ts";
import { messageExamples, metadataExamples } from "../../fixtures/examples.ts";
import { expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, rich, user } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

/** Returns a value as JSON text. Keys stay in their order, and Dates and URLs are distinguished from strings. */
const spelled = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, key, json) {
    if (this[key] instanceof Date) return { isDate: json };
    return this[key] instanceof URL ? { isUrl: json } : json;
  });

/** Returns a copy of a value in which each URL is replaced by an object that contains the URL's text. */
function withoutUrls(value: unknown): unknown {
  // `isDeepStrictEqual` treats any two URLs as equal.
  if (value instanceof URL) return { isUrl: value.href };
  if (Array.isArray(value)) return value.map(withoutUrls);
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutUrls(field)]));
}

/** Expects that two values are deeply equal. */
function expectSame(actual: unknown, expected: unknown, name: string): void {
  // The equality of vitest ignores an own field `__proto__`, and treats an own field `constructor` as the type.
  if (isDeepStrictEqual(withoutUrls(actual), withoutUrls(expected))) return;
  expect(spelled(actual), name).toBe(spelled(expected));
  expect.fail(`${name}: the types of the values differ`);
}

function expectSameText(actual: unknown, expected: unknown, name: string): void {
  expectSame(actual, expected, name);
  expect(spelled(actual), `${name}: the order of keys`).toBe(spelled(expected));
}

const examples = Object.values(messageExamples);

async function expectExamples(provider: MemoryProvider, id: string): Promise<void> {
  const { messages } = await readConversation(provider, id);
  expect(messages).toHaveLength(examples.length);
  for (const [index, [name, example]] of Object.entries(messageExamples).entries()) {
    expectSameText(messages[index], example, name);
  }
}

export const values = defineSpec(
  {
    level: "contract",
    subject: "values",
    why: "Messages come back changed: numbers, dates, emoji or tool arguments differ.",
    hint: "Keep `body` as text, byte for byte; metadata as JSON that keeps every key and number.",
  },
  {
    "in messages come back exactly from a stored conversation": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", examples));
      await expectExamples(provider, "c");
    },

    "in messages come back exactly from appended batches": async ({ provider }) => {
      for (let at = 0; at < examples.length; at += 7) {
        expectOk(await append(provider, "c", examples.slice(at, at + 7)));
      }
      await expectExamples(provider, "c");
    },

    "in messages come back exactly from every read": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", examples, { userId: "u" }));
      const recent = expectOk(await provider.getRecentMessages("c", examples.length));
      const found = expectOk(await provider.findConversations({ userId: "u" }));
      for (const [index, [name, example]] of Object.entries(messageExamples).entries()) {
        expectSameText(recent[index], example, name);
        expectSameText(found[0]?.messages[index], example, name);
      }
    },

    "in metadata come back exactly": async ({ provider }) => {
      for (const [name, metadata] of Object.entries(metadataExamples)) {
        expectOk(await provider.storeMessages(`stored ${name}`, [], metadata));
        expectOk(await append(provider, `appended ${name}`, [], { before: 1 }));
        expectOk(await provider.appendMessages(`appended ${name}`, [], metadata));
        for (const id of [`stored ${name}`, `appended ${name}`]) {
          const stored = (await readConversation(provider, id)).metadata;
          for (const [field, value] of Object.entries(metadata)) {
            expect(Object.hasOwn(stored, field), `${name}: ${field}`).toBe(true);
            expectSame(Object.getOwnPropertyDescriptor(stored, field)?.value, value, `${name}: ${field}`);
          }
        }
      }
    },

    "that are a Buffer come back as a Uint8Array": async ({ provider }) => {
      const bytes = Buffer.from("bytes");
      expectOk(await provider.storeMessages("c", [rich({ role: "user", content: "x", bytes })], { bytes }));
      const { messages, metadata } = await readConversation(provider, "c");
      expectSame(messages[0], { role: "user", content: "x", bytes: new Uint8Array(bytes) }, "in a message");
      expectSame(metadata["bytes"], new Uint8Array(bytes), "in metadata");
    },

    "in metadata survive a merge, Dates among them": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", [], { at: new Date(1), $date: "x", kept: [new Date(2)] }));
      expectOk(await provider.appendMessages("c", [], { at: new Date(3), more: { $date: "y" } }));
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        at: new Date(3),
        $date: "x",
        kept: [new Date(2)],
        more: { $date: "y" },
      });
    },

    "that are undefined are absent": async ({ provider }) => {
      const message = rich({ role: "user", content: "x", custom: undefined, nested: { a: undefined, b: 1 } });
      expectOk(
        await provider.storeMessages("c", [message], { gone: undefined, nested: { a: undefined, b: 1 } }),
      );
      const { messages, metadata } = await readConversation(provider, "c");
      expect(messages[0]).toStrictEqual({ role: "user", content: "x", nested: { b: 1 } });
      expect(metadata).not.toHaveProperty("gone");
      expect(metadata["nested"]).toStrictEqual({ b: 1 });
    },

    "pollute no prototype": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", examples, metadataExamples["fields of Object.prototype"]));
      await readConversation(provider, "c");
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },

    "of one message don't change those of its neighbours": async ({ provider }) => {
      const between = examples.flatMap((example, index) => [user(`before ${index}`), example]);
      expectOk(await append(provider, "c", between));
      const { messages } = await readConversation(provider, "c");
      for (const [index] of examples.entries()) expect(messages[2 * index]).toEqual(user(`before ${index}`));
    },
  },
);
