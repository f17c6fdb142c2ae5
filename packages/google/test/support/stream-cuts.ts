import { runStream, type TraceEvent } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createGoogleProvider } from "../../src/index.ts";
import { eventsOf } from "./gemini-server.ts";
import { configOf, gemini, MODEL, providerOf, rich, says } from "./setup.ts";

const said = "Grüße 🌍!";
const parts = [
  { text: "Hm… 🤔", thought: true },
  { text: said, thoughtSignature: "c2lnbmF0dXJl" },
];
const recorded = Buffer.from(
  eventsOf({ parts })
    .map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
    .join(""),
);
const whole = {
  role: "assistant",
  content: [
    { type: "reasoning", text: "Hm… 🤔" },
    {
      type: "text",
      text: said,
      providerMetadata: {
        google: { pieces: [{ length: 8 }, { length: 1, thoughtSignature: "c2lnbmF0dXJl" }] },
      },
    },
  ],
  origin: { provider: "google", api: "generate-content", model: MODEL },
};

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
    createGoogleProvider({ apiKey: "k", model: MODEL, fetch }),
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
  describe("a stream cut after each of its bytes", { timeout: 120_000 }, () => {
    it.each(["ends", "breaks"])(
      "and then %s: the whole reply or a failure that may pass, and nothing between",
      async (end) => {
        for (const at of lengths(0, recorded.length)) {
          const { result, stored, events } = await ask(
            answering([recorded.subarray(0, at)], end === "breaks"),
          );
          // The last event says why the model stopped.
          const isWhole = end === "ends" && at === recorded.length;
          expect({ at, status: result.outcome.status }).toEqual({
            at,
            status: isWhole ? "completed" : "error",
          });
          if (isWhole) expect(rich(result)[1]).toEqual(whole);
          else expect(result.outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true } });
          expect(stored).toHaveLength(isWhole ? 2 : 1);
          expect(said.startsWith(told(events))).toBe(true);
        }
      },
    );

    it("on a real connection, and then asked again: what is stored is the second reply", async () => {
      for (let at = 1; at < recorded.length; at += 61) {
        const headers = { "content-type": "text/event-stream" };
        const server = await gemini([{ kind: "raw", headers, body: recorded, cutAt: at }, "Whole."]);
        const { config } = configOf(providerOf(server));
        const result = await runStream<unknown, unknown>(says("Hi"), config).result;
        expect({ at, outcome: result.outcome }).toEqual({
          at,
          outcome: { status: "completed", output: "Whole." },
        });
        expect(result.finalState.messages).toHaveLength(2);
      }
    });
  });

  describe("a stream that comes in other pieces is the same reply", { timeout: 120_000 }, () => {
    it("in two, wherever they meet, also inside a character", async () => {
      for (const at of lengths(1, recorded.length - 1)) {
        const { result, events } = await ask(answering([recorded.subarray(0, at), recorded.subarray(at)]));
        expect({ at, said: told(events) }).toEqual({ at, said });
        expect(rich(result)[1]).toEqual(whole);
      }
    });

    it.each([
      ["byte by byte", (text: string) => text],
      ["with LF", (text: string) => text.replaceAll("\r\n", "\n")],
      ["with comments", (text: string) => text.replaceAll("data: {", ": alive\r\n\r\ndata: {")],
      [
        "with data of several lines",
        (text: string) => text.replaceAll('"modelVersion"', '\r\ndata: "modelVersion"'),
      ],
      ["with a byte order mark", (text: string) => `\uFEFF${text}`],
    ])("%s", async (_, change) => {
      const bytes = Buffer.from(change(recorded.toString()));
      const { result, events } = await ask(answering([...bytes].map((byte) => Uint8Array.of(byte))));
      expect(told(events)).toBe(said);
      expect(rich(result)[1]).toEqual(whole);
    });
  });
}
