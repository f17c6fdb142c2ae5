import { createTool, runStream, type TraceEvent } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { eventText } from "../../../../test/fakes/openai-responses-steps.ts";
import { createOpenAIResponsesProvider } from "../../src/index.ts";
import { answering } from "./answering.ts";
import { fakeResponses, functionCall, message, origin, reasoning, responsesOf } from "./responses.ts";
import { configOf, rich, says } from "./setup.ts";

const model = "gpt-test";
const thought = reasoning("rs_1", ["Hm… 🤔"]);
const items = [thought, message("Grüße 🌍!", { id: "msg_1" })];
const recorded = Buffer.from(eventText({ id: "resp_1", status: "completed" }, items));
/** Behind the last event, which alone says that the response is whole. */
const wholeFrom = recorded.length;
const whole = {
  role: "assistant",
  id: "resp_1",
  content: [
    { type: "reasoning", text: "Hm… 🤔", encrypted: thought["encrypted_content"] },
    { type: "text", text: "Grüße 🌍!", providerMetadata: { openai: { reasoningId: "rs_1" } } },
  ],
  origin,
};

/** One streamed run that isn't tried again, and what is stored after it. */
async function ask(fetch: typeof globalThis.fetch) {
  const provider = createInMemoryProvider();
  const { config, events } = configOf(
    createOpenAIResponsesProvider({ apiKey: "k", model, fetch }),
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

/** Of thousands of runs: a busy machine is no failure. */
const TIMEOUT_MS = 180_000;

const told = (events: readonly TraceEvent[]): string =>
  events.map((event) => (event.type === "llm_delta" ? event.data.text : "")).join("");

/** The lengths, from the first to the last, of which each is tried with a run of its own. */
export type Lengths = (first: number, last: number) => readonly number[];

export const allLengths: Lengths = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Some in each event, and all of those near the end. `pnpm test:stress` tries each. */
export const someLengths: Lengths = (first, last) =>
  allLengths(first, last).filter((length) => length % 29 === 0 || length > last - 30);

export function describeResponsesStreamCuts(lengths: Lengths): void {
  describe("a stream cut after each of its bytes", () => {
    it.each(["ends", "breaks"])(
      "and then %s: the whole response or a failure that may pass, and nothing between",
      async (end) => {
        for (const at of lengths(0, recorded.length)) {
          const { result, stored, events } = await ask(
            answering([recorded.subarray(0, at)], end === "breaks"),
          );
          const isWhole = at >= wholeFrom;
          expect({ at, status: result.outcome.status }).toEqual({
            at,
            status: isWhole ? "completed" : "error",
          });
          if (isWhole) expect(rich(result)[1]).toMatchObject(whole);
          else expect(result.outcome).toMatchObject({ error: { _tag: "ModelCallError", retryable: true } });
          expect(stored).toHaveLength(isWhole ? 2 : 1);
          expect("Grüße 🌍!".startsWith(told(events))).toBe(true);
        }
      },
      TIMEOUT_MS,
    );

    it("on a real connection, and then asked again: what is stored is the second response", async () => {
      for (let at = 1; at < recorded.length; at += 97) {
        const headers = { "content-type": "text/event-stream" };
        const fake = await fakeResponses([{ kind: "raw", headers, body: recorded, cutAt: at }, "Whole."]);
        const { config } = configOf(responsesOf(fake));
        const result = await runStream<unknown, unknown>(says("Hi"), config).result;
        expect({ at, outcome: result.outcome }).toEqual({
          at,
          outcome: { status: "completed", output: "Whole." },
        });
        expect(result.finalState.messages).toHaveLength(2);
      }
    });

    it("inside a call never runs it", async () => {
      const ran: unknown[] = [];
      const pay = createTool({
        name: "pay",
        description: "d",
        parameters: z.object({ amount: z.number() }),
        execute: async (args) => String(ran.push(args)),
      });
      const call = functionCall("call_1", "pay", { amount: 5 }, { id: "fc_1" });
      const text = Buffer.from(eventText({ id: "resp_1", status: "completed" }, [call]));
      for (let at = 0; at < text.length; at += 7) {
        const provider = createOpenAIResponsesProvider({
          apiKey: "k",
          model,
          fetch: answering([text.subarray(0, at)]),
        });
        const { config } = configOf(provider, { tools: [pay] }, { modelRetry: { maxAttempts: 1 } });
        const { outcome } = await runStream(says("Hi"), config).result;
        expect({ at, outcome }).toMatchObject({ at, outcome: { status: "error" } });
      }
      expect(ran).toEqual([]);
    });
  });

  describe("a stream that comes in other pieces is the same response", () => {
    it(
      "in two, wherever they meet, also inside a character",
      async () => {
        for (const at of lengths(1, recorded.length - 1)) {
          const { result, events } = await ask(answering([recorded.subarray(0, at), recorded.subarray(at)]));
          expect({ at, said: told(events) }).toEqual({ at, said: "Grüße 🌍!" });
          expect(rich(result)[1]).toMatchObject(whole);
        }
      },
      TIMEOUT_MS,
    );

    it.each([
      ["byte by byte", (text: string) => text],
      ["with CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
      ["with comments", (text: string) => text.replaceAll("event: ", ": keep-alive\n\nevent: ")],
      ["without the names of its events", (text: string) => text.replaceAll(/^event: .*\n/gm, "")],
      ["with [DONE] at its end", (text: string) => `${text}data: [DONE]\n\n`],
      [
        "with events that nobody knows",
        (text: string) =>
          text.replaceAll("event: ", 'event: x\ndata: {"type":"response.x.delta","delta":"?"}\n\nevent: '),
      ],
    ])("%s", async (_, change) => {
      const bytes = Buffer.from(change(recorded.toString()));
      const { result, events } = await ask(answering([...bytes].map((byte) => Uint8Array.of(byte))));
      expect(told(events)).toBe("Grüße 🌍!");
      expect(rich(result)[1]).toMatchObject(whole);
    });
  });
}
