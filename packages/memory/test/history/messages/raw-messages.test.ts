import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { countMessageTokens, messageText, messageWindow } from "../../../src/history/index.ts";
import {
  createInMemoryProvider,
  type Message,
  type RichMessage,
  sanitizeConversation,
  validateContinuation,
} from "../../../src/index.ts";
import { expectOk, readConversation } from "../../../src/testing/fixtures/expectations.ts";
import { rawConversations, THOUGHT } from "./raw-messages.ts";

/** Fields that a browser doesn't keep: signatures, metadata and reasoning. */
const OPAQUE =
  /^(?:signature|providerMetadata|providerOptions|origin|reasoning|reasoning_content|reasoning_details|thinking|thinking_blocks|extra_content|provider_specific_fields|encrypted_content)$/;
const REASONING = /^(?:reasoning|thinking|redacted_thinking)$/;

const withoutOpaque = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !OPAQUE.test(key)));

function seen(message: RichMessage): object {
  const { content, tool_calls: calls, ...rest } = message;
  const parts = Array.isArray(content)
    ? content.filter(({ type }) => !REASONING.test(type)).map(withoutOpaque)
    : content;
  const called = calls?.map(withoutOpaque);
  return { ...withoutOpaque(rest), content: parts, ...(called === undefined ? {} : { tool_calls: called }) };
}

describe.each(Object.entries(rawConversations))("%s", (_, messages) => {
  it("is stored and read unchanged", async () => {
    const provider = createInMemoryProvider();
    for (const message of messages) {
      expectOk(await provider.appendMessages("c", [message], {}, { createIfMissing: "unowned" }));
    }
    const read = (await readConversation(provider, "c")).messages;
    expect(read).toEqual(messages);
    expect(isDeepStrictEqual(read, messages), "types of values").toBe(true);
    expect(JSON.stringify(read), "order of fields").toBe(JSON.stringify(messages));
  });

  it("is replayed completely, even in a window", () => {
    expect(sanitizeConversation(messages)).toBe(messages);
    expect(messageWindow(messages, { maxMessages: 10 })).toBe(messages);
  });

  it("excludes reasoning from its text, and has a number of tokens", () => {
    for (const message of messages) {
      expect(messageText(message)).not.toContain(THOUGHT);
      const tokens = countMessageTokens(message);
      expect(tokens).toBeGreaterThanOrEqual(4);
      expect(tokens).toBeLessThan(3_300);
    }
  });

  it("continues with a browser's copy, complete or as displayed", () => {
    const more: Message = { role: "user", content: "And tomorrow?" };
    for (const copy of [structuredCopy(messages), messages.map(seen)]) {
      expect(validateContinuation(messages, [...copy, more])).toMatchObject({ ok: true, added: [more] });
    }
  });
});

/** Returns the messages as JSON from a client. */
const structuredCopy = (messages: readonly Message[]): readonly unknown[] =>
  JSON.parse(JSON.stringify(messages));
