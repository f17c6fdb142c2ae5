import type { TurnLog } from "@jaf/memory";
import { unwrap } from "@jaf/memory/internal";

/** The headers by which clients of the AI SDK know a stream of UI messages. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
} as const;

interface TurnIds {
  readonly conversationId: string;
  readonly turnId: string;
}

export interface FollowedTurn extends TurnIds {
  readonly log: Pick<TurnLog, "read">;
  readonly leaseSeconds: number;
  /** Ends the turn with {@link INTERRUPTED} if its process has crashed. */
  readonly endIfLost: (turn: TurnIds) => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
}

const POLL_MS = 200;

/** Returns the events of a turn as a stream, from the first to the turn's end, while they are appended. */
export function followTurn({
  log,
  conversationId,
  turnId,
  leaseSeconds,
  endIfLost,
  signal,
}: FollowedTurn): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let from = 0;
  let isCancelled = false;
  let seenAt = performance.now();
  return new ReadableStream({
    pull: async (controller) => {
      while (!isCancelled && signal?.aborted !== true) {
        const page = await unwrap("read", () => log.read({ conversationId, turnId, from }));
        const events = page?.events ?? [];
        if (events.length > 0) {
          from += events.length;
          seenAt = performance.now();
          controller.enqueue(encoder.encode(events.join("")));
          return;
        }
        // The turn was erased.
        if (page === null) controller.enqueue(encoder.encode(INTERRUPTED));
        if (page?.turn.state !== "running") break;
        const isSilent = performance.now() - seenAt > 1_000 * leaseSeconds;
        if (isSilent && (await endIfLost({ conversationId, turnId }))) continue;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      if (!isCancelled) controller.close();
    },
    cancel: () => {
      isCancelled = true;
    },
  });
}

/** The last event of a stream that wasn't kept to its end. Without it, a client would take the reply for complete. */
export const INTERRUPTED =
  'data: {"type":"error","errorText":"The reply was interrupted."}\n\ndata: [DONE]\n\n';
