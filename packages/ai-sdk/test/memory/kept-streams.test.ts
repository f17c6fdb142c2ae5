import { createInMemoryProvider, type TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type KeptStreams,
  keepStreams,
  loadUIMessages,
  type StreamScope,
  storeUIMessages,
  takeMessage,
} from "../../src/memory/index.ts";
import { conflictOf, ids, said } from "./support/chats.ts";

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

/** Begins a stream that is never answered, as in a process that crashes. */
const crash = (streams: KeptStreams, scope: StreamScope) =>
  new Promise<void>((resolve, reject) => {
    const answer = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    streams.begin(scope, answer).catch(reject);
  });

/** A stream of events that the test sends. */
function openStream() {
  let controller: ReadableStreamDefaultController<string> | undefined;
  const stream = new ReadableStream<string>({
    start: (given) => {
      controller = given;
      given.enqueue("data: 1\n\n");
    },
  });
  return { stream, fail: () => controller?.error(new Error("boom")), close: () => controller?.close() };
}

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
  let kept: Promise<void> = Promise.resolve();
  const response = await keepStreams({ log }).begin(scope, async ({ signal, keep }) => {
    const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
    return result.toUIMessageStreamResponse({
      consumeSseStream: (given) => {
        kept = keep(given);
      },
    });
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
  let stopping: AbortSignal | undefined;
  const response = await keepStreams({ log }).begin(scope, async ({ signal, keep }) => {
    stopping = signal;
    const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
    return result.toUIMessageStreamResponse({ consumeSseStream: keep });
  });
  const reading = response.text();
  const other = keepStreams({ log });
  expect(await other.stop({ ...scope, userId: "bob" })).toBe(false);
  expect(await other.stop(scope)).toBe(true);
  expect(await reading).toContain('"type":"abort"');
  expect(stopping?.aborted).toBe(true);
  await expect.poll(() => other.stop(scope)).toBe(false);
});

it("a conversation has one stream at a time, and one whose process crashed gives way", async () => {
  const time = { now: 1_000 };
  const log = createInMemoryTurnLog({ now: () => time.now });
  const scope = scopeOf();
  const streams = keepStreams({ log });
  await crash(streams, scope);
  expect(await conflictOf(crash(streams, scope))).toBe("lease");
  time.now += 31_000;
  expect((await streams.resume(scope)).status).toBe(204);
  await crash(streams, scope);
  time.now += 31_000;
  await crash(streams, scope);
});

it("a log that fails doesn't hurt the stream, and is reported", async () => {
  const log: TurnLog = createInMemoryTurnLog();
  const errors: unknown[] = [];
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: CHUNKS }) }),
  });
  const streams = keepStreams({ log, onError: (error) => errors.push(error) });
  const response = await streams.begin(scopeOf(), async ({ signal, keep }) => {
    await log.close();
    const result = streamText({ model, prompt: "What is red?", abortSignal: signal });
    return result.toUIMessageStreamResponse({ consumeSseStream: keep });
  });
  expect(await response.text()).toContain("apple.");
  await expect.poll(() => errors.length).toBe(1);
});

describe("the next stream can begin", () => {
  it.each([
    { what: "fails", answer: () => Promise.reject(new Error("no")) },
    { what: "keeps nothing", answer: async () => new Response(null, { status: 409 }) },
  ])("after an answer that $what", async ({ answer }) => {
    const streams = keepStreams({ log: createInMemoryTurnLog() });
    const scope = scopeOf();
    await streams.begin(scope, answer).catch(() => undefined);
    expect((await streams.resume(scope)).status).toBe(204);
    await crash(streams, scope);
  });

  it("once a stream that ignores its signal was asked to stop as long ago as its lease lasts", async () => {
    const streams = keepStreams({ log: createInMemoryTurnLog(), leaseSeconds: 1 });
    const scope = scopeOf();
    await streams.begin(scope, async ({ keep }) => void keep(openStream()));
    const resumed = (await streams.resume(scope)).text();
    expect(await streams.stop(scope)).toBe(true);
    await expect.poll(() => streams.stop(scope), { timeout: 10_000 }).toBe(false);
    expect(await resumed).toMatch(/"type":"error".*\[DONE\]\n\n$/s);
    await crash(streams, scope);
  });

  it("after the log refused to keep a stream", async () => {
    const log = createInMemoryTurnLog();
    const scope = scopeOf();
    const refusing: TurnLog = { ...log, append: (given) => log.append({ ...given, first: 99 }) };
    const errors: unknown[] = [];
    const streams = keepStreams({ log: refusing, onError: (error) => errors.push(error) });
    let kept: Promise<void> = Promise.resolve();
    await streams.begin(scope, async ({ keep }) => {
      kept = keep(openStream());
    });
    await kept;
    expect(errors).toHaveLength(1);
    await crash(keepStreams({ log }), scope);
  });
});

it("a client that resumes a stream is told that it was interrupted", async () => {
  const time = { now: 1_000 };
  const log = createInMemoryTurnLog({ now: () => time.now });
  const streams = keepStreams({ log });
  const isTold = expect.stringMatching(/"type":"error".*\[DONE\]\n\n$/s);

  const failing = scopeOf();
  const { stream, fail } = openStream();
  await streams.begin(failing, async ({ keep }) => void keep({ stream }));
  const first = (await streams.resume(failing)).text();
  fail();
  expect(await first).toEqual(isTold);

  const lost = scopeOf();
  await crash(streams, lost);
  const second = (await streams.resume(lost)).text();
  time.now += 31_000;
  // Another request ends the lost stream.
  await crash(streams, lost);
  expect(await second).toEqual(isTold);

  const erased = scopeOf();
  await crash(streams, erased);
  const third = (await streams.resume(erased)).text();
  await log.deleteConversation(erased.conversationId);
  expect(await third).toEqual(isTold);
});

it("shows a sign of life three times in the shortest lease", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = createInMemoryTurnLog();
  const renew = vi.fn(log.renew);
  const { stream, close } = openStream();
  let kept: Promise<void> = Promise.resolve();
  await keepStreams({ log: { ...log, renew }, leaseSeconds: 1 }).begin(scopeOf(), async ({ keep }) => {
    kept = keep({ stream });
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(renew.mock.calls.length).toBeGreaterThanOrEqual(2);
  close();
  await kept;
});

it("stores no message while another reply is written, and the next one after that reply", async () => {
  const log = createInMemoryTurnLog();
  const scope = scopeOf();
  const provider = createInMemoryProvider();
  const streams = keepStreams({ log });
  const chatOf = () => ({ provider, ...scope });
  const { model, open } = gatedModel();
  const post = (id: string, messageId?: string) => {
    const chat = chatOf();
    return streams.begin(chat, async ({ signal, keep }) => {
      const messages = await takeMessage(chat, said(id, id), messageId === undefined ? {} : { messageId });
      return streamText({ model, prompt: id, abortSignal: signal }).toUIMessageStreamResponse({
        originalMessages: messages,
        generateMessageId: () => `${id}-reply`,
        onFinish: async (end) => void (await storeUIMessages(chat, end.messages)),
        consumeSseStream: keep,
      });
    });
  };
  const first = (await post("u1")).text();
  expect(await conflictOf(post("u2"))).toBe("lease");
  expect(ids(await loadUIMessages(chatOf()))).toBe("u1");
  await streams.stop(scope);
  open();
  // An edit at once: the stopped reply is stored before it, and dropped by it.
  const second = await post("u1", "u1");
  await Promise.all([first, second.text()]);
  await expect.poll(() => streams.stop(scope)).toBe(false);
  expect(ids(await loadUIMessages(chatOf()))).toBe("u1 u1-reply");
  expect(await conflictOf(post("u1"))).toBe("message-id");
  await provider.close();
});
