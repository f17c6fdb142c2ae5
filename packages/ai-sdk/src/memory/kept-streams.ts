import { MemoryCallError, type TurnLog } from "@jaf/memory";
import type { TurnEnding, TurnWriter } from "@jaf/memory/adapter";
import { createMemoryConflictError, unwrap, warn } from "@jaf/memory/internal";
import { followTurn, INTERRUPTED, STREAM_HEADERS } from "./follow-turn.ts";
import { cutOff, keepStream, type SseStream } from "./keep-stream.ts";

/** Options of {@link keepStreams}. */
export interface KeptStreamsOptions {
  /** A turn log of JAF, e.g. `createRedisTurnLog` or `createPostgresTurnLog`. */
  readonly log: TurnLog;
  /**
   * After how many seconds without a sign of life of the sending process a stream counts as lost, e.g. after a crash: the
   * next `begin` or `resume` ends it. Also how long a stream may go on in the log after a request to stop. At least 1.
   * Default 30.
   */
  readonly leaseSeconds?: number | undefined;
  /** Called if a stream can't be kept. The client's stream goes on. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The conversation of a stream. */
export interface StreamScope {
  readonly conversationId: string;
  /** The user who owns the conversation: only this user can resume or stop its stream. */
  readonly userId: string;
}

/** A stream that is kept while it is sent. */
export interface KeptStream {
  /** Aborts if the user stops the turn, or the conversation's turns are erased. The `abortSignal` of `streamText`. */
  readonly signal: AbortSignal;
  /**
   * The option `consumeSseStream` of `toUIMessageStreamResponse` and of `createUIMessageStreamResponse`. Never rejects.
   * Resolves once everything is kept: pass the promise to `waitUntil` where a platform stops processes after the response.
   */
  readonly keep: (given: { readonly stream: SseStream }) => Promise<void>;
}

/** Streams of the AI SDK in a turn log. */
export interface KeptStreams {
  /**
   * Begins a stream and then calls `answer`, which stores the user's message, calls the model and makes the response. Resolves
   * with what `answer` returns. So nothing is stored while the conversation has another stream, and an earlier reply is stored
   * before the next message. If `answer` rejects, or returns without having called `keep`, the stream ends at once.
   *
   * Rejects with what `answer` rejects with, and with a `MemoryCallError` before calling it: if the conversation has another
   * stream that goes on for a second, with a `MemoryConflictError` with reason `"lease"`.
   */
  readonly begin: <Answer>(
    scope: StreamScope,
    answer: (stream: KeptStream) => Promise<Answer>,
  ) => Promise<Answer>;
  /**
   * Returns the response to `useChat({ resume: true })`: the conversation's running stream from its beginning, or status 204
   * if none runs. `signal`: that of the request.
   */
  readonly resume: (scope: StreamScope, signal?: AbortSignal) => Promise<Response>;
  /** Asks the process that sends the stream to stop, wherever it runs. Resolves with whether a stream is running. */
  readonly stop: (scope: StreamScope) => Promise<boolean>;
}

/** How long a new stream waits for the end of an earlier one, whose client may have its last event already, in ms. */
const ENDING_MS = 1_000;
const RETRY_MS = 50;

/** How long the events of an ended turn are kept for clients that are still reading, in seconds. */
const KEPT_SECONDS = 60;
const ENDED: TurnEnding = {
  state: "ended",
  record: "{}",
  eventSeconds: KEPT_SECONDS,
  recordSeconds: KEPT_SECONDS,
};

/**
 * Keeps the streams of an application of the AI SDK in a turn log while they are sent, so that any process can resume or stop
 * them. A stream that isn't read by a client any more goes on, and so does its model call.
 *
 * @example
 * ```ts
 * import { keepStreams } from "@jaf/ai-sdk/memory";
 * import type { TurnLog } from "@jaf/memory";
 * import { type LanguageModel, type ModelMessage, streamText } from "ai";
 *
 * declare const log: TurnLog;
 * declare const model: LanguageModel;
 *
 * const streams = keepStreams({ log });
 *
 * export async function answer(conversationId: string, userId: string, messages: ModelMessage[]) {
 *   return streams.begin({ conversationId, userId }, async ({ signal, keep }) => {
 *     const result = streamText({ model, messages, abortSignal: signal });
 *     return result.toUIMessageStreamResponse({ consumeSseStream: keep });
 *   });
 * }
 * export const resume = (conversationId: string, userId: string) => streams.resume({ conversationId, userId });
 * export const stop = (conversationId: string, userId: string) => streams.stop({ conversationId, userId });
 * ```
 */
export function keepStreams({ log, leaseSeconds = 30, onError = warnOf }: KeptStreamsOptions): KeptStreams {
  async function begin({ conversationId, userId }: StreamScope): Promise<TurnWriter> {
    const turnId = crypto.randomUUID();
    const turn = { conversationId, userId, turnId, request: "{}", leaseSeconds, keepSeconds: 3_600 };
    for (const began = performance.now(); ; ) {
      const begun = await unwrap("begin", () => log.begin(turn));
      if (begun.begun) return begun.writer;
      // The process that sent the earlier stream may have crashed.
      if (await endIfLost(begun.running)) continue;
      if (performance.now() - began > ENDING_MS)
        throw new MemoryCallError(createMemoryConflictError("lease", { operation: "begin" }));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Ends a turn if the lease of its process has expired. Resolves with whether it did. */
  async function endIfLost({ conversationId, turnId }: Omit<TurnWriter, "token">): Promise<boolean> {
    const taken = await unwrap("takeOver", () => log.takeOver({ conversationId, turnId }));
    if (taken === null) return false;
    const { writer, turn } = taken;
    const { held } = await unwrap("append", () =>
      log.append({ writer, first: turn.events, events: [INTERRUPTED], end: ENDED }),
    );
    return held;
  }

  /** Returns the running turn of the user's conversation. */
  async function running({ conversationId, userId }: StreamScope) {
    const [turn] = await unwrap("turnsOf", () => log.turnsOf(conversationId, 1));
    return turn?.userId === userId && turn.state === "running" ? turn : undefined;
  }

  return {
    begin: async (scope, answer) => {
      const writer = await begin(scope);
      const stopping = new AbortController();
      const turn = { log, writer, leaseSeconds, end: ENDED, stop: () => stopping.abort() };
      let isKept = false;
      const keep: KeptStream["keep"] = ({ stream }) => {
        isKept = true;
        return keepStream(stream, turn).catch(onError);
      };
      try {
        return await answer({ signal: stopping.signal, keep });
      } finally {
        if (!isKept) await cutOff(turn, 0);
      }
    },
    resume: async (scope, signal) => {
      const turn = await running(scope);
      if (turn === undefined || (await endIfLost(turn))) return new Response(null, { status: 204 });
      const { conversationId, turnId } = turn;
      const body = followTurn({ log, conversationId, turnId, leaseSeconds, endIfLost, signal });
      return new Response(body, { headers: STREAM_HEADERS });
    },
    stop: async (scope) => {
      const turn = await running(scope);
      return turn === undefined ? false : unwrap("requestStop", () => log.requestStop(turn));
    },
  };
}

const warnOf = (error: unknown): void => {
  const { memoryError }: Partial<MemoryCallError> = error instanceof MemoryCallError ? error : {};
  warn(`A stream can't be kept, so clients can't resume it: ${memoryError?.message ?? "it failed"}`, {
    type: "JAFStreamWarning",
  });
};
