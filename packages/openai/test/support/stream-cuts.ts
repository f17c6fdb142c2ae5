import { runStream, type TraceEvent } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { eventStream } from "../../../../test/fakes/openai-chat.ts";
import { createOpenAIProvider } from "../../src/index.ts";
import { answering } from "./answering.ts";
import { configOf, fakeChat, providerOf, rich, says } from "./setup.ts";

const message = {
  reasoning_content: "Hm… 🤔",
  content: "Grüße 🌍!",
  annotations: [{ url: "…" }],
};
const model = "gpt-test";
const events = [...eventStream({ kind: "reply", message }, { model, withUsage: true })];
const recorded = Buffer.from(events.join(""));
/** Behind the event that says why the model stopped: everything of the message is there. */
const wholeFrom = Buffer.byteLength(events.slice(0, -2).join(""));
const whole = {
  role: "assistant",
  ...message,
  origin: { provider: "openai", api: "chat", model },
};

/** One streamed run that isn't tried again, and what is stored after it. */
async function ask(fetch: typeof globalThis.fetch) {
  const provider = createInMemoryProvider();
  const { config, events } = configOf(
    createOpenAIProvider({ apiKey: "k", model, fetch }),
    {},
    {
      modelRetry: { maxAttempts: 1 },
      conversationId: "c",
      memory: { provider, autoStore: true, userId: "ada", durability: "step" },
    },
  );
  const result = await runStream<unknown, unknown>(says("Hi"), config).result;
  const stored = await provider.getConversation("c");
  return { result, events, stored: stored.success ? (stored.data?.messages ?? []) : undefined };
}

const told = (events: readonly TraceEvent[]): string =>
  events.map((event) => (event.type === "llm_delta" ? event.data.text : "")).join("");

/** The lengths, from the first to the last, of which each is tried with a run of its own. */
export type Lengths = (first: number, last: number) => readonly number[];

export const allLengths: Lengths = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Some in each event, and all of those near the end. `pnpm test:stress` tries each. */
export const someLengths: Lengths = (first, last) =>
  allLengths(first, last).filter((length) => length % 29 === 0 || length > last - 30);

export function describeStreamCuts(lengths: Lengths): void {
  describe("a stream cut after each of its bytes", () => {
    it.each(["ends", "breaks"])(
      "and then %s: the whole reply or a failure that may pass, and nothing between",
      async (end) => {
        for (const at of lengths(0, recorded.length)) {
          const { result, stored, events } = await ask(
            answering([recorded.subarray(0, at)], end === "breaks"),
          );
          // A connection that breaks may have had more to say, as long as the end isn't announced.
          const isWhole = end === "ends" ? at >= wholeFrom : at === recorded.length;
          expect({ at, status: result.outcome.status }).toEqual({
            at,
            status: isWhole ? "completed" : "error",
          });
          if (isWhole) expect(rich(result)[1]).toMatchObject(whole);
          else expect(result.outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true } });
          expect(stored).toHaveLength(isWhole ? 2 : 1);
          expect(message.content.startsWith(told(events))).toBe(true);
        }
      },
    );

    it("on a real connection, and then asked again: what is stored is the second reply", async () => {
      for (let at = 1; at < recorded.length; at += 97) {
        const headers = { "content-type": "text/event-stream" };
        const fake = await fakeChat([{ kind: "raw", headers, body: recorded, cutAt: at }, "Whole."]);
        const { config } = configOf(providerOf(fake));
        const result = await runStream<unknown, unknown>(says("Hi"), config).result;
        expect({ at, outcome: result.outcome }).toEqual({
          at,
          outcome: { status: "completed", output: "Whole." },
        });
        expect(result.finalState.messages).toHaveLength(2);
      }
    });
  });

  describe("a stream that comes in other pieces is the same reply", () => {
    it("in two, wherever they meet, also inside a character", async () => {
      for (const at of lengths(1, recorded.length - 1)) {
        const { result, events } = await ask(answering([recorded.subarray(0, at), recorded.subarray(at)]));
        expect({ at, said: told(events) }).toEqual({ at, said: message.content });
        expect(rich(result)[1]).toMatchObject(whole);
      }
    });

    it.each([
      ["byte by byte", (text: string) => text],
      ["with CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
      ["with CR", (text: string) => text.replaceAll("\n", "\r")],
      ["with comments", (text: string) => text.replaceAll("data: {", ": OPENROUTER PROCESSING\n\ndata: {")],
      [
        "with fields and no space",
        (text: string) => text.replaceAll("data: {", "event: message\nid: 7\ndata:{"),
      ],
      ["with data of several lines", (text: string) => text.replaceAll(',"choices":', ',\ndata: "choices":')],
      ["with a byte order mark", (text: string) => `\uFEFF${text}`],
      ["without [DONE]", (text: string) => text.replace("data: [DONE]\n\n", "")],
    ])("%s", async (_, change) => {
      const bytes = Buffer.from(change(recorded.toString()));
      const { result, events } = await ask(answering([...bytes].map((byte) => Uint8Array.of(byte))));
      expect(told(events)).toBe(message.content);
      expect(rich(result)[1]).toMatchObject(whole);
    });
  });
}
