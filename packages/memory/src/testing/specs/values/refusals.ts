import { expect } from "vitest";
import type { Message } from "../../../contract/message.ts";
import type { MemoryProvider, WriteMetadata, WriteOptions } from "../../../contract/provider.ts";
import { refusedUnnamed, refusedValues } from "../../fixtures/examples.ts";
import { expectError, expectInvalid, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { hostile, rich, user, users } from "../../fixtures/messages.ts";
import { defineSpec, inputLimits } from "../../kit/spec.ts";

const SECRET = "s3cret-of-the-user";

const throwing: PropertyDescriptor = {
  enumerable: true,
  get: () => {
    throw new Error(SECRET);
  },
};

/** Expects that both write methods refuse this input, and that the refused writes change nothing. */
async function expectRefused(
  provider: MemoryProvider,
  input: { readonly messages?: unknown; readonly metadata?: unknown; readonly options?: unknown },
  path?: string,
): Promise<void> {
  const { messages = users("x") } = input;
  for (const method of ["storeMessages", "appendMessages"] as const) {
    for (const id of ["kept", "new"]) {
      const write = () =>
        provider[method](id, hostile(messages), hostile(input.metadata), hostile(input.options));
      await expectInvalid(write, path);
    }
  }
}

async function withKept(provider: MemoryProvider, check: () => Promise<void>): Promise<void> {
  expectOk(await provider.storeMessages("kept", users("1"), { userId: "u", topic: "t" }));
  const before = await readConversation(provider, "kept");
  await check();
  expect(await readConversation(provider, "kept")).toEqual(before);
  expect(expectOk(await provider.getStats()).totalConversations).toBe(1);
}

/** Returns a message with a tool call whose arguments contain this text. */
const saying = (text: string): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: JSON.stringify({ text }) } }],
});

const withField = (custom: unknown) => rich({ role: "user", content: "x", custom });

const notMessages: Readonly<Record<string, readonly [message: unknown, path: string]>> = {
  null: [null, ""],
  "a string": ["hello", ""],
  "a list": [[], ""],
  "no role": [{ content: "x" }, ".role"],
  "a role that isn't stored": [{ role: "root", content: "x" }, ".role"],
  "no content": [{ role: "user" }, ".content"],
  "a content of another type": [{ role: "user", content: 5 }, ".content"],
  "a content part without type": [{ role: "user", content: [{ text: "x" }] }, ".content"],
  "a call id of another type": [{ role: "tool", content: "x", tool_call_id: 5 }, ".tool_call_id"],
  "calls that are no list": [{ role: "assistant", content: "", tool_calls: {} }, ".tool_calls"],
  "a call without id": [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ type: "function", function: { name: "f", arguments: "" } }],
    },
    ".tool_calls[0].id",
  ],
  "arguments that are no text": [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: {} } }],
    },
    ".tool_calls[0].function.arguments",
  ],
  "a call without a function": [
    { role: "assistant", content: "", tool_calls: [{ id: "c", type: "function" }] },
    ".tool_calls[0].function",
  ],
  "a custom call without its input": [
    { role: "assistant", content: "", tool_calls: [{ id: "c", type: "custom", custom: { name: "f" } }] },
    ".tool_calls[0].custom.input",
  ],
};

export const refusals = defineSpec(inputLimits("what can't be stored"), {
  "is refused in messages, with the path": async ({ provider }) =>
    withKept(provider, async () => {
      for (const [value, path] of Object.values(refusedValues)) {
        const messages = [user("fine"), withField(value)];
        await expectRefused(provider, { messages }, `messages[1].custom${path}`);
      }
      for (const value of Object.values(refusedUnnamed)) {
        await expectRefused(provider, { messages: [withField(value)] });
      }
    }),

  "is refused in metadata, with the path": async ({ provider }) =>
    withKept(provider, async () => {
      for (const [value, path] of Object.values(refusedValues)) {
        await expectRefused(provider, { metadata: { fine: 1, custom: value } }, `metadata.custom${path}`);
      }
      for (const value of Object.values(refusedUnnamed)) {
        await expectRefused(provider, { metadata: { custom: value } });
      }
    }),

  "is refused as a message, with the path": async ({ provider }) =>
    withKept(provider, async () => {
      for (const [message, path] of Object.values(notMessages)) {
        const messages = [user("fine"), message];
        await (path === ".content"
          ? expectRefused(provider, { messages })
          : expectRefused(provider, { messages }, `messages[1]${path}`));
      }
    }),

  "is refused as a batch": async ({ provider }) =>
    withKept(provider, async () => {
      for (const messages of [null, "text", {}, user("x"), new Set([user("x")]), 5]) {
        await expectRefused(provider, { messages }, "messages");
      }
      await expectInvalid(() => provider.appendMessages("new", hostile(undefined)), "messages");
      const holed = new Array<unknown>(2);
      holed[1] = user("x");
      await expectRefused(provider, { messages: holed }, "messages[0]");
    }),

  "is refused as metadata and as options": async ({ provider }) =>
    withKept(provider, async () => {
      for (const value of [null, "text", 5, [], () => ({}), new Map(), new Date(0)]) {
        await expectRefused(provider, { metadata: value }, "metadata");
        await expectRefused(provider, { options: value }, "options");
      }
    }),

  "is refused as the value of an option": async ({ provider }) =>
    withKept(provider, async () => {
      const wrong = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, {}, 1n];
      for (const value of wrong) {
        for (const option of [
          "expectedVersion",
          "maxMessages",
          "ttlSeconds",
        ] satisfies (keyof WriteOptions)[]) {
          await expectRefused(provider, { options: { [option]: value } }, `options.${option}`);
        }
      }
      await expectRefused(provider, { options: { ttlSeconds: 0 } }, "options.ttlSeconds");
    }),

  "is refused when reading it throws": async ({ provider }) =>
    withKept(provider, async () => {
      const trap = () => Object.defineProperty({ role: "user" }, "content", throwing);
      await expectRefused(provider, { messages: [trap()] }, "messages[0]");
      await expectRefused(provider, { messages: [withField(trap())] }, "messages[0]");
      await expectRefused(provider, { metadata: trap() });
      await expectRefused(provider, { metadata: { custom: trap() } }, "metadata.custom");
      await expectRefused(provider, { options: Object.defineProperty({}, "maxMessages", throwing) });
      const query = Object.defineProperty({}, "userId", throwing);
      await expectInvalid(() => provider.findConversations(query));
    }),

  "refuses the whole batch": async ({ provider }) =>
    withKept(provider, async () => {
      const messages = [user("fine"), user("fine"), withField(Number.NaN)];
      await expectRefused(provider, { messages, metadata: { topic: "changed", traceId: "t" } });
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
    }),

  "is never repeated in the error": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users(SECRET), { userId: "u" }, { idempotencyKey: "k" }));
    const secret = user(SECRET);
    const bad = [secret, rich({ role: "user", content: SECRET, custom: [SECRET, Number.NaN] })];
    const write = (messages: unknown, metadata: WriteMetadata = {}, options: WriteOptions = {}) =>
      provider.appendMessages("c", hostile(messages), metadata, options);
    const results = [
      await write(bad),
      await write([{ role: SECRET, content: SECRET }]),
      await write([{ role: "user", content: 5, text: SECRET }]),
      await write(SECRET),
      await write([SECRET]),
      await write([secret], { custom: [SECRET, 1n] }),
      await write([secret], { userId: `${SECRET}\0` }),
      await write([secret], { userId: "other" }),
      await write([secret], { userId: SECRET, custom: { deep: [SECRET] } }),
      await write([saying(SECRET)], { topic: SECRET }, { expectedVersion: 9 }),
      await write([secret, secret], {}, { idempotencyKey: "k" }),
      await write([secret], {}, { idempotencyKey: SECRET.repeat(20) }),
      await provider.getConversation(SECRET.repeat(20)),
      await provider.findConversations({ cursor: SECRET }),
      await provider.findConversations({ userId: SECRET.repeat(20) }),
      await provider.clearUserConversations(SECRET.repeat(20)),
      await provider.getStats(SECRET.repeat(20)),
      await write([Object.defineProperty({}, "role", throwing)]),
      await write([secret], Object.defineProperty({}, "topic", throwing)),
    ];
    for (const result of results) {
      if (result.success) return expect.fail("expected a failure");
      expectError(result, result.error._tag);
      expect(JSON.stringify(result.error)).not.toContain(SECRET);
    }
  },
});
