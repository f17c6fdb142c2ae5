import { runStream, type TraceEvent } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { eventsOf, type MessagesReply } from "../../../../test/fakes/anthropic-answers.ts";
import { createAnthropicProvider } from "../../src/index.ts";
import { configOf, fakeMessages, MODEL, origin, providerOf, rich, says } from "./setup.ts";

const citation = { type: "char_location", cited_text: "🌍", document_index: 0 };
const reply: MessagesReply = {
  kind: "message",
  content: [
    { type: "thinking", thinking: "Hm… 🤔", signature: "c2lnbmF0dXJl" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Größe" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result" }] },
    { type: "text", text: "Grüße " },
    { type: "text", text: "🌍!", citations: [citation] },
  ],
};
const said = "Grüße 🌍!";
const whole = {
  role: "assistant",
  content: [
    { type: "reasoning", text: "Hm… 🤔", signature: "c2lnbmF0dXJl" },
    { type: "reasoning", encrypted: "b3BhcXVl" },
    { type: "provider-tool-call", id: "srvtoolu_1", name: "web_search", input: { query: "Größe" } },
    { type: "provider-tool-result", id: "srvtoolu_1", output: [{ type: "web_search_result" }] },
    { type: "text", text: said, segments: [{ length: 6 }, { length: 3, citations: [citation] }] },
  ],
  origin,
};
const recorded = Buffer.from(eventsOf(reply, MODEL).join(""));

/** An answer of these pieces; `broken`: the connection then breaks in place of ending. */
const answering = (pieces: readonly Uint8Array[], broken = false): typeof fetch => {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (broken) controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }));
      else controller.close();
    },
  });
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** One streamed run that isn't tried again, and what is stored after it. */
async function ask(fetch: typeof globalThis.fetch) {
  const provider = createInMemoryProvider();
  const { config, events } = configOf(
    createAnthropicProvider({ apiKey: "k", model: MODEL, fetch, baseURL: "https://api.anthropic.com" }),
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
          const isWhole = at === recorded.length;
          expect({ at, status: result.outcome.status }).toEqual({
            at,
            status: isWhole ? "completed" : "error",
          });
          if (isWhole) expect(rich(result)[1]).toMatchObject(whole);
          else expect(result.outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true } });
          expect(stored).toHaveLength(isWhole ? 2 : 1);
          expect(said.startsWith(told(events))).toBe(true);
        }
      },
      120_000, // A run for each byte.
    );

    it("on a real connection, and then asked again: what is stored is the second reply", async () => {
      for (let at = 1; at < recorded.length; at += 97) {
        const headers = { "content-type": "text/event-stream" };
        const fake = await fakeMessages([{ kind: "raw", headers, body: recorded, cutAt: at }, "Whole."]);
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
        expect({ at, said: told(events) }).toEqual({ at, said });
        expect(rich(result)[1]).toMatchObject(whole);
      }
    }, 120_000);

    it.each([
      ["byte by byte", (text: string) => text],
      ["with CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
      [
        "with pings",
        (text: string) => text.replaceAll("event: ", 'event: ping\ndata: {"type":"ping"}\n\nevent: '),
      ],
      [
        "with events that nobody knows",
        (text: string) => text.replaceAll("event: ", 'event: new\ndata: {"type":"new"}\n\nevent: '),
      ],
      ["without names", (text: string) => text.replaceAll(/^event: .*\n/gm, "")],
      ["with something behind its end", (text: string) => `${text}data: {"type":"error"}\n\n`],
    ])("%s", async (_, change) => {
      const bytes = Buffer.from(change(recorded.toString()));
      const { result, events } = await ask(answering([...bytes].map((byte) => Uint8Array.of(byte))));
      expect(told(events)).toBe(said);
      expect(rich(result)[1]).toMatchObject(whole);
    });

    it("as one in one piece", async () => {
      const fake = await fakeMessages([reply]);
      const provider = providerOf(fake);
      const { config } = configOf({ getCompletion: provider.getCompletion });
      const inOne = await runStream<unknown, unknown>(says("Hi"), config).result;
      const streamed = await ask(answering([recorded]));
      const { id: _, ...message } = rich(inOne)[1] ?? {};
      const { id: __, ...other } = rich(streamed.result)[1] ?? {};
      expect(other).toEqual(message);
    });
  });
}
