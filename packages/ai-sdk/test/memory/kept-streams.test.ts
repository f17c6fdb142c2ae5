import { isMemoryConflictError, MemoryCallError, type TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, it } from "vitest";
import { keepStreams } from "../../src/memory/index.ts";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const CHUNKS = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "An " },
  { type: "text-delta", id: "t", delta: "apple." },
  { type: "text-end", id: "t" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
] as never[];
const scopeOf = () => ({ conversationId: crypto.randomUUID(), userId: "ann" });

/** A model whose stream goes on when the test says so. */
function gatedModel() {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const model = new MockLanguageModelV3({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream({
        start: async (controller) => {
          for (const chunk of CHUNKS.slice(0, 3)) controller.enqueue(chunk);
          const aborted = new Promise((_, reject) =>
            abortSignal?.addEventListener("abort", () => reject(abortSignal.reason)),
          );
          await Promise.race([gate, aborted]).catch((reason) => controller.error(reason));
          if (abortSignal?.aborted === true) return;
          for (const chunk of CHUNKS.slice(3)) controller.enqueue(chunk);
          controller.close();
        },
      }),
    }),
  });
  return { model, open };
}

it("a stream that its client left goes on, and another process resumes it from its beginning", async () => {
  const log = createInMemoryTurnLog();
  const scope = scopeOf();
  const { model, open } = gatedModel();
  const { signal, keep } = await keepStreams({ log }).begin(scope);
  const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
  let kept: Promise<void> = Promise.resolve();
  const response = result.toUIMessageStreamResponse({
    consumeSseStream: (given) => {
      kept = keep(given);
    },
  });
  await response.body?.cancel();
  const other = keepStreams({ log });
  const resumed = await other.resume(scope);
  expect(resumed.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  const reading = resumed.text();
  expect((await other.resume({ ...scope, userId: "bob" })).status).toBe(204);
  open();
  const text = await reading;
  await kept;
  expect(text).toContain('"delta":"An "');
  expect(text).toContain('"delta":"apple."');
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  expect((await other.resume(scope)).status).toBe(204);
});

it("a stop from another process aborts the model call", async () => {
  const log = createInMemoryTurnLog();
  const scope = scopeOf();
  const { model } = gatedModel();
  const { signal, keep } = await keepStreams({ log }).begin(scope);
  const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
  const response = result.toUIMessageStreamResponse({ consumeSseStream: keep });
  const reading = response.text();
  const other = keepStreams({ log });
  expect(await other.stop({ ...scope, userId: "bob" })).toBe(false);
  expect(await other.stop(scope)).toBe(true);
  expect(await reading).toContain('"type":"abort"');
  expect(signal.aborted).toBe(true);
  await expect.poll(() => other.stop(scope)).toBe(false);
});

it("a conversation has one stream at a time, and one whose process crashed gives way", async () => {
  const time = { now: 1_000 };
  const log = createInMemoryTurnLog({ now: () => time.now });
  const scope = scopeOf();
  const streams = keepStreams({ log });
  await streams.begin(scope);
  const thrown: unknown = await streams.begin(scope).catch((error: unknown) => error);
  const error = thrown instanceof MemoryCallError ? thrown.memoryError : undefined;
  expect(error && isMemoryConflictError(error) && error.reason).toBe("lease");
  time.now += 31_000;
  expect((await streams.resume(scope)).status).toBe(204);
  await streams.begin(scope);
  time.now += 31_000;
  await streams.begin(scope);
});

it("a log that fails doesn't hurt the stream, and is reported", async () => {
  const log: TurnLog = createInMemoryTurnLog();
  const errors: unknown[] = [];
  const { signal, keep } = await keepStreams({ log, onError: (error) => errors.push(error) }).begin(
    scopeOf(),
  );
  await log.close();
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: CHUNKS }) }),
  });
  const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
  const response = result.toUIMessageStreamResponse({ consumeSseStream: keep });
  expect(await response.text()).toContain("apple.");
  await expect.poll(() => errors.length).toBe(1);
});
