import type { TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { connectionError, malformedError } from "./client-error.ts";
import type { CallOptions, Http } from "./http.ts";
import { readServerSentEvents } from "./sse.ts";

/** Options of calls that yield the events of a turn. */
export interface FollowOptions extends CallOptions {
  /** When and how often to reconnect after a lost connection. */
  readonly reconnect?: ReconnectOptions;
  /** How long the client waits for bytes before it reconnects, in ms. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /** Called with `false` when the connection is lost, and with `true` when the client has reconnected. */
  readonly onConnection?: (connected: boolean) => void;
}

/** When and how often a client reconnects. */
export interface ReconnectOptions {
  /**
   * Number of failed attempts to reconnect after which the client gives up. An event that arrives sets the count back
   * to 0. Default 30, which takes a few minutes.
   */
  readonly maxAttempts?: number;
  /** Delay before the first attempt to reconnect, in ms. The delay doubles with each attempt. Default 250. */
  readonly firstDelayMs?: number;
  /** Longest delay before an attempt to reconnect, in ms. Default 8,000. */
  readonly maxDelayMs?: number;
}

/** An event of a turn, with its number and the id of the turn. */
export interface FollowedEvent extends NumberedEvent {
  readonly turnId: string;
}

export interface FollowedTurn {
  readonly conversationId?: string | undefined;
  readonly turnId?: string | undefined;
  /** Number of the first event to yield. */
  readonly from: number;
}

/** Opens a connection that streams the turn's events. */
type Open = (signal: AbortSignal) => Promise<Response>;

const NO_CONTENT = 204;
export const DEFAULT_ATTEMPTS = 30;
const DEFAULT_IDLE_MS = 60_000;
/** How long a connection must receive bytes before failed attempts to reconnect are forgotten, in ms. */
const STEADY_MS = 5_000;

/**
 * Yields each event of a turn once and in order, and reconnects after a lost connection. `first` opens the first
 * connection, e.g. by a request that starts the turn.
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
        if (numbered.number > from) break; // Some are missing: request them again.
        from += 1;
        turnId = numbered.turnId;
        if (numbered.event.type === "turn_start") conversationId = numbered.event.conversationId;
        yield numbered;
        if (numbered.event.type === "turn_end") return;
      }
      if (nothingLeft) return;
      throw connectionError(new Error("The stream ended before the end of the turn."), signal);
    } catch (thrown) {
      const error = connectionError(thrown, signal);
      // Without an event, it is unknown whether the request began a turn. The caller decides whether to send it again.
      if (!error.retryable || open !== undefined) throw error;
      failures += 1;
      onConnection(false);
      if (failures > (reconnect.maxAttempts ?? DEFAULT_ATTEMPTS)) throw error;
      await pause(Math.max(delayOf(failures, reconnect), error.retryAfterMs ?? 0), signal);
    }
  }
}

/**
 * Starts a turn by a POST request and yields the turn's events. Reconnects if the connection is lost after the first
 * event.
 */
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

/** Creates the error for a connection on which no data has arrived for `idleTimeoutMs`. */
// The code is `"connection"` and not `"aborted"`, because the caller didn't abort the request.
const idleError = () => connectionError(new Error("No data arrived within idleTimeoutMs."), undefined);

/**
 * Yields the events that arrive on one connection. Calls `onSteady` when bytes arrive later than `STEADY_MS` after its
 * opening.
 */
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

/** Converts a server-sent event into a `FollowedEvent`. `id` is `<turnId>:<number>`. */
function parseEvent(id: string | undefined, data: string): FollowedEvent {
  // The turn id may contain colons.
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

/** Returns the delay before a reconnect, in ms. `attempt` counts from 1. */
export function delayOf(
  attempt: number,
  { firstDelayMs = 250, maxDelayMs = 8_000 }: ReconnectOptions,
): number {
  // Up to 25 % shorter at random, so that clients don't all reconnect at the same time.
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - Math.random() / 4);
}

/** Waits for `ms` milliseconds. Resolves earlier if the browser is online again, or if `signal` is aborted. */
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
