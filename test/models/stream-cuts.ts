import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createTool } from "../../packages/core/src/index.ts";
import { createInMemoryProvider } from "../../packages/memory/src/index.ts";
import type { AnyProvider, ModelApi, Raw } from "./model-api.ts";
import { type AnyAgent, configOf, rich, runBy, says, told } from "./run.ts";

/** An API's raw stream and the message that it contains. */
export interface RecordedStream {
  readonly provider: (fetch: typeof globalThis.fetch) => AnyProvider;
  readonly events: readonly string[];
  /** The text of its deltas. */
  readonly said: string;
  readonly message: object;
  /**
   * After how many bytes the reply is complete if the stream ends, and if the connection breaks. Default: all bytes. A provider
   * that reads to the end of the connection never completes a broken one.
   */
  readonly wholeFrom?: { readonly ends?: number; readonly breaks?: number };
  /** The events of a stream with a call of `pay`, up to the finish reason. */
  readonly callEvents: readonly string[];
  /** Other streams with the same message. */
  readonly variants?: Readonly<Record<string, (text: string) => string>>;
}

/** Returns the lengths in bytes at which to cut a stream of these events, one run each. */
export type Cuts = (events: readonly string[]) => readonly number[];

export const everyByte: Cuts = (events) =>
  Array.from({ length: Buffer.byteLength(events.join("")) + 1 }, (_, at) => at);

/** Cuts inside each event, after each event, and before each of the last bytes. `pnpm test:stress` cuts at every byte. */
export const someBytes: Cuts = (events) => {
  const ends = events.map((_, index) => Buffer.byteLength(events.slice(0, index + 1).join("")));
  const length = ends.at(-1) ?? 0;
  const middles = ends.map((end, index) => Math.floor((end + (ends[index - 1] ?? 0)) / 2));
  return [...new Set([0, ...middles, ...ends, length - 2, length - 1])].toSorted((a, b) => a - b);
};

/** Answers with these pieces. `isBroken`: the connection breaks after them. */
function answering(pieces: readonly Uint8Array[], isBroken = false): typeof globalThis.fetch {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (isBroken) controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }));
      else controller.close();
    },
  });
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Does one streamed run without retries. Returns the stored messages, too. */
async function ask(modelProvider: AnyProvider, agent: Partial<AnyAgent> = {}) {
  const provider = createInMemoryProvider();
  const { config, events } = configOf(modelProvider, agent, {
    modelRetry: { maxAttempts: 1 },
    conversationId: "c",
    memory: { provider, autoStore: true, userId: "ada", durability: "step" },
  });
  const result = await runBy("streamed", says("Hi"), config);
  const stored = await provider.getConversation("c");
  return { result, said: told(events), stored: stored.success ? (stored.data?.messages ?? []) : undefined };
}

const FAILED = { status: "error", error: { _tag: "ModelCallError", retryable: true } };

/** Long, because of up to thousands of runs on a possibly busy machine. */
const TIMEOUT_MS = 240_000;

export function describeStreamCuts<Reply>(api: ModelApi<Reply>, recorded: RecordedStream, cuts: Cuts): void {
  const bytes = Buffer.from(recorded.events.join(""));
  const wholeFrom = { ends: bytes.length, breaks: Number.POSITIVE_INFINITY, ...recorded.wholeFrom };

  describe("a stream that is cut", { timeout: TIMEOUT_MS }, () => {
    it.each(["ends", "breaks"] as const)(
      "and %s is either the complete reply or a retryable failure",
      async (by) => {
        for (const at of cuts(recorded.events)) {
          const fetch = answering([bytes.subarray(0, at)], by === "breaks");
          const { result, stored, said } = await ask(recorded.provider(fetch));
          const isWhole = at >= wholeFrom[by];
          const expected = isWhole ? { status: "completed", output: recorded.said } : FAILED;
          expect([at, result.outcome]).toMatchObject([at, expected]);
          if (isWhole) expect(rich(result)[1]).toMatchObject(recorded.message);
          expect(stored).toHaveLength(isWhole ? 2 : 1);
          expect(recorded.said.startsWith(said)).toBe(true);
        }
      },
    );

    it("inside a call never runs the tool", async () => {
      const ran: unknown[] = [];
      const pay = createTool({
        name: "pay",
        description: "d",
        parameters: z.object({ amount: z.number() }),
        execute: async (args) => String(ran.push(args)),
      });
      const text = Buffer.from(recorded.callEvents.join(""));
      for (const at of cuts(recorded.callEvents)) {
        const provider = recorded.provider(answering([text.subarray(0, at)]));
        const { result } = await ask(provider, { tools: [pay] });
        expect([at, result.outcome]).toMatchObject([at, FAILED]);
      }
      expect(ran).toEqual([]);
    });

    it("on a real connection is retried, and the second reply is stored", async () => {
      const all = cuts(recorded.events).filter((at) => at > 0 && at < bytes.length);
      // Tries only a sample, because the result hardly depends on the cut.
      const step = Math.ceil(Math.sqrt(all.length));
      const headers = { "content-type": "text/event-stream" };
      for (const cutAt of all.filter((_, index) => index % step === step - 1)) {
        const first: Raw = { kind: "raw", headers, body: bytes, cutAt };
        const service = await api.start([first, "Whole."]);
        onTestFinished(service.close);
        const { config } = configOf(api.provider(service));
        const result = await runBy("streamed", says("Hi"), config);
        expect([cutAt, result.outcome]).toEqual([cutAt, { status: "completed", output: "Whole." }]);
        expect(result.finalState.messages).toHaveLength(2);
      }
    });
  });

  describe("a stream is the same reply", () => {
    it.each([["byte by byte", (text: string) => text], ...Object.entries(recorded.variants ?? {})] as const)(
      "%s",
      async (_, change) => {
        const pieces = [...Buffer.from(change(bytes.toString()))].map((byte) => Uint8Array.of(byte));
        const { result, said } = await ask(recorded.provider(answering(pieces)));
        expect(said).toBe(recorded.said);
        expect(rich(result)[1]).toMatchObject(recorded.message);
      },
    );
  });
}
