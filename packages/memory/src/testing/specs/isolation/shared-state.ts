import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { copyArgument } from "../../../runtime/objects.ts";
import { expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, rich, user, writes } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

/** Changes every object inside a value that isn't frozen, as careless code could. */
function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Date) {
    value.setTime(0);
    return;
  }
  if (value instanceof URL) {
    value.pathname = "/changed";
    return;
  }
  if (value instanceof Uint8Array) {
    value.fill(0);
    return;
  }
  for (const field of Object.values(value)) vandalise(field);
  try {
    if (Array.isArray(value)) value.push("intruder");
    for (const key of Object.keys(value)) Reflect.set(value, key, "changed");
    Reflect.set(value, "intruder", true);
  } catch {
    // Frozen.
  }
}

/** Returns a copy of the result of a read, without `readAt`. */
function withoutTime(read: unknown): unknown {
  // `readAt` is different in each read.
  const copy: { readonly data?: { readAt?: unknown } | null } = copyArgument(read ?? {});
  delete copy.data?.readAt;
  return copy;
}

const messages = () => [
  user("hello"),
  rich({
    role: "assistant",
    content: [{ type: "text", text: "hi" }],
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    sentAt: new Date(1),
    custom: { list: [1, { at: new Date(2) }] },
    image: { bytes: new Uint8Array([1, 2, 3]), url: new URL("https://example.com/a") },
  }),
];
const metadata = () => ({
  userId: "u",
  traceId: "t",
  at: new Date(3),
  custom: { list: [1, new Date(4)], bytes: new Uint8Array([4]), url: new URL("https://example.com/b") },
});

const reads: Readonly<Record<string, (provider: VersionedMemoryProvider) => Promise<unknown>>> = {
  getConversation: (provider) => provider.getConversation("c"),
  findConversations: (provider) => provider.findConversations({ userId: "u" }),
  "findConversations without messages": (provider) => provider.findConversations({ includeMessages: false }),
  getRecentMessages: (provider) => provider.getRecentMessages("c"),
  readConversation: (provider) => provider.readConversation("c"),
  exportConversation: (provider) => provider.exportConversation("c"),
  getStats: (provider) => provider.getStats("u"),
};

const handedOut = Object.fromEntries(
  Object.entries(reads).map(([name, read]) => [
    `doesn't exist with the result of ${name}`,
    async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
      expectOk(await provider.storeMessages("c", messages(), metadata()));
      const before = [await readConversation(provider, "c"), withoutTime(await read(provider))];
      vandalise(await read(provider));
      expect([await readConversation(provider, "c"), withoutTime(await read(provider))]).toEqual(before);
      expect((await readConversation(provider, "c")).messages).toEqual(messages());
    },
  ]),
);

export const isolation = defineSpec(
  {
    level: "isolation",
    subject: "shared state",
    why: "Code that changes returned data changes the history of all readers.",
    hint: "Hand out copies, or frozen values; take nothing by reference.",
  },
  {
    "doesn't exist with arguments": async ({ provider }) => {
      for (const method of ["storeMessages", "appendMessages"] as const) {
        const given = { messages: messages(), metadata: metadata() };
        expectOk(await writes[method](provider, method, given.messages, given.metadata));
        const before = await readConversation(provider, method);
        vandalise(given);
        expect(await readConversation(provider, method)).toEqual(before);
        expect((await readConversation(provider, method)).messages).toEqual(messages());
      }
    },

    "doesn't exist during a write": async ({ provider }) => {
      const given = { messages: messages(), metadata: metadata() };
      const writing = append(provider, "c", given.messages, given.metadata);
      vandalise(given);
      expectOk(await writing);
      const stored = await readConversation(provider, "c");
      expect(stored).toMatchObject({ userId: "u", messages: messages() });
      expect(stored.metadata).toMatchObject({ traceId: "t", at: new Date(3) });
    },

    "doesn't exist with options and queries": async ({ provider }) => {
      const options = { idempotencyKey: "k", maxMessages: 5 };
      expectOk(await append(provider, "c", messages(), metadata(), options));
      vandalise(options);
      expectOk(
        await provider.appendMessages("c", messages(), metadata(), { idempotencyKey: "k", maxMessages: 5 }),
      );
      const since = (await readConversation(provider, "c")).metadata.lastActivity;
      const finding = provider.findConversations({ since });
      since.setTime(8.64e15);
      expect(expectOk(await finding)).toHaveLength(1);
    },

    ...handedOut,

    "doesn't exist between two reads": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", messages(), metadata()));
      const first = await readConversation(provider, "c");
      const copy = copyArgument(first);
      vandalise(await readConversation(provider, "c"));
      expect(first).toEqual(copy);
    },

    "doesn't exist between a read and a later write": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", messages(), metadata()));
      const first = await readConversation(provider, "c");
      const copy = copyArgument(first);
      expectOk(await provider.appendMessages("c", messages(), { topic: "new" }));
      expectOk(await provider.storeMessages("c", []));
      expect(first).toEqual(copy);
    },
  },
);
