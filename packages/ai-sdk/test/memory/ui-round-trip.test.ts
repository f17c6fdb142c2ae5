import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { sanitizeConversation } from "@jaf/memory/history";
import { validateUIMessages } from "ai";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { loadUIMessages, storeUIMessages } from "../../src/memory/index.ts";
import { histories } from "../support/histories.ts";
import { uiConversation } from "./support/ui-messages.ts";

const provider = createInMemoryProvider({ type: "memory", maxConversations: 100_000 });
afterAll(() => provider.close());
const freshChat = () => ({ provider, conversationId: crypto.randomUUID() });

/** What JSON and every store do with `-0` and with fields that are `undefined`. */
function asStored(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(asStored);
  const isFields =
    typeof value === "object" && value !== null && !(value instanceof Date || value instanceof URL);
  if (!isFields || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => (field === undefined ? [] : [[key, asStored(field)]])),
  );
}

const NUM_RUNS = 200;

describe("UI messages", () => {
  it("come back exactly, of every kind of part and of hostile values", async () => {
    await fc.assert(
      fc.asyncProperty(uiConversation, async (messages) => {
        const chat = freshChat();
        const returned = await storeUIMessages(chat, messages);
        const loaded = await loadUIMessages({ ...chat });
        expect(loaded).toStrictEqual(asStored(messages));
        expect(asStored(returned)).toStrictEqual(asStored(messages));
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it("come back exactly if each is saved on its own, and again, after JSON on the way to a client", async () => {
    await fc.assert(
      fc.asyncProperty(uiConversation, async (messages) => {
        const chat = freshChat();
        for (const message of messages) await storeUIMessages({ ...chat }, [message]);
        const before = await provider.getConversation(chat.conversationId);
        await storeUIMessages({ ...chat }, JSON.parse(JSON.stringify(messages)));
        expect(await provider.getConversation(chat.conversationId)).toEqual(before);
        expect(await loadUIMessages({ ...chat })).toStrictEqual(asStored(messages));
      }),
      { numRuns: NUM_RUNS / 4 },
    );
  });

  it("are standard messages for other engines, with text and files stored once", async () => {
    const chat = freshChat();
    const url = `data:image/png;base64,${"aGVs".repeat(1_000)}`;
    await storeUIMessages(chat, [
      {
        id: "u1",
        role: "user",
        parts: [
          { type: "text", text: "How much is this?" },
          { type: "file", mediaType: "image/png", url },
        ],
      },
      {
        id: "a1",
        role: "assistant",
        metadata: { model: "m" },
        parts: [
          { type: "step-start" },
          {
            type: "reasoning",
            text: "Hm…",
            state: "done",
            providerMetadata: { anthropic: { signature: "c2ln" } },
          },
          {
            type: "tool-price",
            toolCallId: "c1",
            state: "output-available",
            input: { article: "apple" },
            output: "50",
            callProviderMetadata: { openai: { itemId: "fc_1" } },
          },
          { type: "step-start" },
          { type: "text", text: "50 cents.", state: "done" },
          { type: "data-price", data: { cents: 50 } },
        ],
      },
    ]);
    const found = await provider.getConversation(chat.conversationId);
    const messages: readonly RichMessage[] = found.success ? (found.data?.messages ?? []) : [];
    expect(messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "How much is this?" }, { type: "media" }], id: "u1" },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", function: { name: "price", arguments: '{"article":"apple"}' } }],
        id: "a1",
      },
      { role: "tool", tool_call_id: "c1", content: "50" },
      { role: "assistant", content: [{ type: "text", text: "50 cents." }] },
    ]);
    expect(JSON.stringify(messages).length).toBeLessThan(url.length + 1_500);
    expect(sanitizeConversation(messages)).toHaveLength(4);
  });

  it("of a conversation of another engine are those of toUIMessages, with stable ids", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const chat = freshChat();
        const messages = JSON.parse(JSON.stringify(history));
        await provider.storeMessages(chat.conversationId, messages);
        const loaded = await loadUIMessages({ ...chat });
        expect(new Set(loaded.map(({ id }) => id)).size).toBe(loaded.length);
        if (loaded.length > 0) await validateUIMessages({ messages: JSON.parse(JSON.stringify(loaded)) });
        const stored = await storeUIMessages({ ...chat }, [
          ...loaded,
          { id: "new", role: "user" as const, parts: [{ type: "text" as const, text: "And now?" }] },
        ]);
        expect(stored.slice(0, -1)).toStrictEqual(loaded);
        expect(await loadUIMessages({ ...chat })).toStrictEqual(stored);
      }),
      { numRuns: 50 },
    );
  });
});
