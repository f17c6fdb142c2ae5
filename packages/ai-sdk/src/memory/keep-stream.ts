import type { TurnLog } from "@jaf/memory";
import type { TurnEnding, TurnWriter, WriterAnswer } from "@jaf/memory/adapter";
import { backoffDelayMs, MemoryCallError, unwrap } from "@jaf/memory/internal";
import { INTERRUPTED } from "./follow-turn.ts";

/** The part of `ReadableStream<string>` that is used: the server-sent events of a UI message stream. */
export interface SseStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: string | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The turn that a stream is kept as. */
export interface KeptTurn {
  readonly log: Pick<TurnLog, "append" | "renew" | "release">;
  readonly writer: TurnWriter;
  readonly leaseSeconds: number;
  readonly end: TurnEnding;
  /** Called when the turn was asked to stop, was erased or was taken over. */
  readonly stop: () => void;
}

/** The longest time between two signs of life, and so until a request to stop is seen, in ms. */
const heartbeatMs = (leaseSeconds: number): number => Math.min(1_000, (1_000 * leaseSeconds) / 3);
/** The maximum number of characters in one append. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Appends what a stream yields to its turn, and ends the turn with the stream. What comes while an append is under way is
 * appended together. A stream that goes on for longer than the lease lasts after it was asked to stop is cut off in the log.
 * Rejects if the log refuses an append, or fails longer than the lease lasts.
 */
export async function keepStream(stream: SseStream, turn: KeptTurn): Promise<void> {
  const { log, writer, leaseSeconds, end, stop } = turn;
  const waiting: string[] = [];
  let first = 0;
  let isDone = false;
  let stoppedAt: number | undefined;
  let wake = (): void => {};
  const reading = readInto(stream, (text) => {
    if (text === undefined) isDone = true;
    else if (!isDone) waiting.push(text);
    wake();
  });
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, heartbeatMs(leaseSeconds));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  try {
    for (;;) {
      if (waiting.length === 0 && !isDone) await next();
      if (stoppedAt !== undefined && !isDone && performance.now() - stoppedAt > 1_000 * leaseSeconds) {
        waiting.push(INTERRUPTED);
        isDone = true;
      }
      const events = takeGroup(waiting);
      const isLast = isDone && waiting.length === 0;
      const from = first;
      const answer = await whileLeased(turn, () =>
        events.length === 0 && !isLast
          ? log.renew(writer)
          : log.append({ writer, first: from, events, ...(isLast ? { end } : {}) }),
      );
      first += events.length;
      if (!answer.held || answer.stopRequested) {
        stoppedAt ??= performance.now();
        stop();
      }
      if (!answer.held || isLast) return;
    }
  } catch (thrown) {
    await cutOff(turn, first);
    throw thrown;
  } finally {
    await reading.cancel();
  }
}

/**
 * Ends a turn whose stream isn't kept to its end, so that the next stream of the conversation can begin. `first`: the number
 * of events that the turn has. Never rejects: if the log fails, the turn ends after its lease.
 */
export async function cutOff(
  { log, writer, end }: Pick<KeptTurn, "log" | "writer" | "end">,
  first: number,
): Promise<void> {
  const failed = { success: false } as const;
  const ended = await log.append({ writer, first, events: [INTERRUPTED], end }).catch(() => failed);
  if (!ended.success) await log.release(writer).catch(() => failed);
}

/** Reads a stream until its end, and reports each text, and `undefined` at the end. A stream that fails is interrupted. */
function readInto(stream: SseStream, report: (text: string | undefined) => void) {
  const reader = stream.getReader();
  void (async () => {
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        if (read.value !== undefined && read.value !== "") report(read.value);
      }
    } catch {
      // The client's copy of the stream fails, too, but a client that resumes gets only what is reported here.
      report(INTERRUPTED);
    }
    report(undefined);
  })();
  return { cancel: () => reader.cancel().catch(() => undefined) };
}

/** Removes the oldest texts, as many as fit into one append. */
function takeGroup(waiting: string[]): string[] {
  let characters = 0;
  const count = waiting.findIndex((text) => {
    characters += text.length;
    return characters > MAX_CHARACTERS;
  });
  return waiting.splice(0, count < 0 ? waiting.length : Math.max(1, count));
}

/** Calls the log, and repeats the call after failures that may pass, while the lease lasts. */
async function whileLeased(
  { leaseSeconds }: KeptTurn,
  call: () => ReturnType<TurnLog["append"]>,
): Promise<WriterAnswer> {
  const began = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await unwrap("append", call);
    } catch (thrown) {
      const delayMs = backoffDelayMs(attempt, { baseDelayMs: 50, maxDelayMs: 1_000 });
      const isLate = performance.now() + delayMs - began >= 1_000 * leaseSeconds;
      if (!(thrown instanceof MemoryCallError) || !thrown.memoryError.retryable || isLate) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
