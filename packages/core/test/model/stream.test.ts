import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type ModelProvider, type ModelStreamChunk, runStream } from "../../src/index.ts";
import { collectStream } from "../../src/model/stream.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

async function* stream(...chunks: readonly ModelStreamChunk[]): AsyncGenerator<ModelStreamChunk> {
  yield* chunks;
}

const collect = (chunks: readonly ModelStreamChunk[], onText: (text: string) => void = () => undefined) =>
  collectStream(stream(...chunks), { signal: undefined, onText });

const text = (piece: string): ModelStreamChunk => ({ type: "text_delta", text: piece });
const done: ModelStreamChunk = { type: "done" };

const streaming = (
  ...attempts: readonly (readonly (ModelStreamChunk | Error)[])[]
): ModelProvider<unknown> => {
  let attempt = 0;
  return {
    getCompletion: async () => ({ message: { content: "not streamed" } }),
    getCompletionStream: async function* () {
      for (const chunk of attempts[attempt++] ?? []) {
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
    },
  };
};

describe("a streamed reply", () => {
  it("is joined from its pieces, with usage and finish reason", async () => {
    const usage = { inputTokens: 1, outputTokens: 2 };
    const chunks = [
      text("Hel"),
      text(""),
      text("lo"),
      { type: "done", usage, finishReason: "stop" } as const,
    ];
    const pieces: string[] = [];
    expect(await collect(chunks, (piece) => pieces.push(piece))).toEqual({
      message: { content: "Hello", tool_calls: [] },
      finish_reason: "stop",
      usage,
    });
    expect(pieces).toEqual(["Hel", "lo"]);
  });

  it("keeps id and name if later pieces repeat them empty", async () => {
    const { message } = await collect([
      { type: "tool_call_delta", index: 0, id: "a", name: "echo", arguments: "" },
      { type: "tool_call_delta", index: 0, id: "", name: "", arguments: "{}" },
      done,
    ]);
    expect(message?.tool_calls).toEqual([
      { id: "a", type: "function", function: { name: "echo", arguments: "{}" } },
    ]);
  });

  it("has its calls in the order of their indices, even if their pieces are interleaved", async () => {
    const call = fc.record({
      id: fc.uuid(),
      name: fc.string({ minLength: 1 }),
      pieces: fc.array(fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        async (calls, picks) => {
          const waiting = calls.map(({ id, name, pieces }, index): ModelStreamChunk[] => [
            { type: "tool_call_delta", index, id, name },
            ...pieces.map((piece) => ({ type: "tool_call_delta", index, arguments: piece }) as const),
          ]);
          const chunks: ModelStreamChunk[] = [];
          for (const pick of picks) {
            const open = waiting.filter((pieces) => pieces.length > 0);
            if (open.length === 0) break;
            chunks.push(...(open[pick % open.length]?.splice(0, 1) ?? []));
          }
          const { message } = await collect([...chunks, done]);
          expect(message?.tool_calls).toEqual(
            calls.map(({ id, name, pieces }) => ({
              id,
              type: "function",
              function: { name, arguments: pieces.join("") },
            })),
          );
        },
      ),
    );
  });

  it("ignores chunks after done", async () => {
    expect((await collect([text("a"), done, text("b")])).message?.content).toBe("a");
  });

  it("is retried if it is cut off before done", async () => {
    const model = streaming([text("The answer is")], [text("The answer is 42."), done]);
    const { config, events } = setup({ model });
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "The answer is 42." });
    expect(eventsOfType(events, "llm_retry")).toMatchObject([{ attempt: 1, discardText: true }]);
  });

  it("has nothing to discard if it fails before any text", async () => {
    const failure = Object.assign(new Error("busy"), { status: 503 });
    const { config, events } = setup({ model: streaming([failure], [text("Hello."), done]) });
    await runStream(says("Hi"), config).result;
    expect(eventsOfType(events, "llm_retry")).toMatchObject([{ attempt: 1, discardText: false }]);
  });

  it("ends the run with a retryable ModelCallError if it is always cut off", async () => {
    const { config } = setup({ model: streaming([text("a")], [text("b")], [text("c")]) });
    expect(errorOf(await runStream(says("Hi"), config).result)).toMatchObject({
      _tag: "ModelCallError",
      attempts: 3,
      retryable: true,
      cause: { name: "TruncatedStream" },
    });
  });

  it("adds one listener to the signal for all its chunks, and removes it", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const chunks = Array.from({ length: 100 }, (_, n) => text(`${n} `));
    await collectStream(stream(...chunks, done), { signal, onText: () => undefined });
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1]);
  });

  it("ends at an abort while it waits for a chunk, and passes no later chunk on", async () => {
    const aborting = new AbortController();
    let send: (chunk: ModelStreamChunk) => void = () => {};
    async function* slow(): AsyncGenerator<ModelStreamChunk> {
      yield text("Hel");
      yield await new Promise<ModelStreamChunk>((resolve) => {
        send = resolve;
      });
      yield done;
    }
    const pieces: string[] = [];
    const onText = (piece: string) => void pieces.push(piece);
    const reading = collectStream(slow(), { signal: aborting.signal, onText });
    await expect.poll(() => pieces).toEqual(["Hel"]);
    aborting.abort(new Error("stopped"));
    send(text("lo"));
    await expect(reading).rejects.toThrow("stopped");
    expect(pieces).toEqual(["Hel"]);
  });

  it("is complete even if its provider fails to clean up", async () => {
    const chunks = [text("Hello."), done];
    const source: AsyncIterable<ModelStreamChunk> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: chunks.shift() ?? done }),
        return: async () => {
          throw new Error("cleanup failed");
        },
      }),
    };
    const { message } = await collectStream(source, { signal: undefined, onText: () => undefined });
    expect(message?.content).toBe("Hello.");
  });
});
