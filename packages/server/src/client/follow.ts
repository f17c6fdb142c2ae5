import type { TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { connectionError, malformedError } from "./client-error.ts";
import type { CallOptions, Http } from "./http.ts";
import { readServerSentEvents } from "./sse.ts";

export interface FollowOptions extends CallOptions {
  readonly reconnect?: ReconnectOptions;
  /** A connection on which nothing comes for so long, not even a comment, is taken for dead. Default: 60,000. */
  readonly idleTimeoutMs?: number;
  /** `false` when the connection is lost, `true` when it is there again. */
  readonly onConnection?: (connected: boolean) => void;
}

export interface ReconnectOptions {
  /** How many attempts in a row may fail before the client gives up. Default: 30, some minutes. */
  readonly maxAttempts?: number;
  /** The pause before the first attempt; it doubles with each. Default: 250. */
  readonly firstDelayMs?: number;
  /** The longest pause. Default: 8,000. */
  readonly maxDelayMs?: number;
}

export interface FollowedEvent extends NumberedEvent {
  readonly turnId: string;
}

export interface FollowedTurn {
  readonly conversationId?: string | undefined;
  readonly turnId?: string | undefined;
  /** The number of the first event to give. */
  readonly from: number;
}

/** Opens the stream of the turn's events from this one on. */
type Open = (signal: AbortSignal) => Promise<Response>;

const NO_CONTENT = 204;
export const DEFAULT_ATTEMPTS = 30;
const DEFAULT_IDLE_MS = 60_000;
/** A connection on which bytes still come after so long is a good one, though no event came. */
const STEADY_MS = 5_000;

/**
 * The events of a turn, each once and in order, until `turn_end`, or until the server says that none is left. A lost connection is opened again from the event after the last
 * one. `first` opens the first one, which isn't opened again before an event has told which turn it is.
 */
export async function* followTurn(
  http: Http,
  turn: FollowedTurn,
  { first, ...options }: FollowOptions & { readonly first?: Open },
): AsyncGenerator<FollowedEvent, void, void> {
  const { signal, reconnect = {}, onConnection = () => {} } = options;
  let { conversationId, turnId, from } = turn;
  let open = first;
  let failures = 0;
  for (;;) {
    try {
      let nothingLeft = false;
      const opened: Open = async (aborted) => {
        const response = await (open?.(aborted) ??
          openEvents(http, { conversationId, turnId, from }, aborted));
        nothingLeft = response.status === NO_CONTENT;
        if (failures > 0) onConnection(true);
        return response;
      };
      const onSteady = () => {
        failures = 0;
      };
      for await (const numbered of readTurn(opened, options, onSteady)) {
        failures = 0;
        open = undefined;
        if (numbered.number < from) continue; // Sent again.
        if (numbered.number > from) break; // Some are missing: they are asked for.
        from += 1;
        turnId = numbered.turnId;
        if (numbered.event.type === "turn_start") conversationId = numbered.event.conversationId;
        yield numbered;
        if (numbered.event.type === "turn_end") return;
      }
      if (nothingLeft) return;
      throw connectionError(new Error("The stream ended before the turn."), signal);
    } catch (thrown) {
      const error = connectionError(thrown, signal);
      // Of a request that brought no event nobody knows whether it began a turn: to send it again is the caller's decision.
      if (!error.retryable || open !== undefined) throw error;
      failures += 1;
      onConnection(false);
      if (failures > (reconnect.maxAttempts ?? DEFAULT_ATTEMPTS)) throw error;
      await pause(Math.max(delayOf(failures, reconnect), error.retryAfterMs ?? 0), signal);
    }
  }
}

/** A POST that starts a turn, and its events: see `followTurn`. */
export function startTurn(
  http: Http,
  {
    path,
    body,
    conversationId,
  }: { readonly path: string; readonly body: object; readonly conversationId?: string | undefined },
  options: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, void> {
  return followTurn(
    http,
    { conversationId, from: 0 },
    {
      ...options,
      first: (signal) => http.send(path, { method: "POST", body, accept: "text/event-stream", signal }),
    },
  );
}

function openEvents(
  http: Http,
  { conversationId = "", turnId, from }: FollowedTurn,
  signal: AbortSignal,
): Promise<Response> {
  return http.send(`/conversations/${encodeURIComponent(conversationId)}/events`, {
    query: { turnId, from },
    accept: "text/event-stream",
    signal,
  });
}

/** The caller has aborted nothing, and a silent connection is opened again as a lost one is. */
const idleError = () => connectionError(new Error("Nothing came for too long."), undefined);

/** The events of one connection. */
async function* readTurn(
  open: Open,
  { signal, idleTimeoutMs = DEFAULT_IDLE_MS }: FollowOptions,
  onSteady: () => void,
): AsyncGenerator<FollowedEvent> {
  const connection = new AbortController();
  const abort = () => connection.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  let idle: ReturnType<typeof setTimeout> | undefined;
  let openedAt = Number.POSITIVE_INFINITY;
  const heard = () => {
    if (performance.now() - openedAt >= STEADY_MS) onSteady();
    clearTimeout(idle);
    idle = setTimeout(() => connection.abort(idleError()), idleTimeoutMs);
  };
  try {
    heard();
    const { status, body } = await open(connection.signal);
    if (status === NO_CONTENT) return;
    if (body === null) throw malformedError("stream");
    openedAt = performance.now();
    for await (const { id, data } of readServerSentEvents(body, heard)) yield parseEvent(id, data);
  } finally {
    clearTimeout(idle);
    signal?.removeEventListener("abort", abort);
    connection.abort();
  }
}

/** The id is `<turnId>:<number>`, and a turn id may hold colons. */
function parseEvent(id: string | undefined, data: string): FollowedEvent {
  const colon = id?.lastIndexOf(":") ?? -1;
  const number = Number(id?.slice(colon + 1));
  try {
    const event = JSON.parse(data) as TurnEvent | null;
    if (id === undefined || colon === -1 || !Number.isSafeInteger(number) || typeof event?.type !== "string")
      throw malformedError("stream");
    return { turnId: id.slice(0, colon), number, event };
  } catch {
    throw malformedError("stream");
  }
}

/** The pause before attempt `attempt`, counted from 1, with up to a quarter less, so that many clients don't return at once. */
export function delayOf(
  attempt: number,
  { firstDelayMs = 250, maxDelayMs = 8_000 }: ReconnectOptions,
): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - Math.random() / 4);
}

/** Waits, but no longer than until the browser is online again, or the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const target = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;
    const done = () => {
      clearTimeout(timer);
      target.removeEventListener?.("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    target.addEventListener?.("online", done);
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
}
