import { setTimeout as sleep } from "node:timers/promises";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisPort } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import {
  type Connection,
  ConnectionClosed,
  ConnectionLost,
  type CreateConnection,
  createDial,
} from "./connection.ts";

/** The time limits of a connection that the provider opened itself. All are in milliseconds. */
export interface ConnectionTimes {
  /** If calls wait for this many milliseconds and no reply arrives, the connection is replaced. */
  readonly commandTimeoutMs: number;
  /** If the connection is idle for this many milliseconds, a ping checks whether it still works. */
  readonly pingAfterMs: number;
  /** If a ping gets no reply for this many milliseconds, the connection is replaced. */
  readonly pingTimeoutMs: number;
  /** The maximum duration of an attempt to connect and log in, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

export interface OwnConnection {
  readonly port: RedisPort;
  /** Waits until no call is in flight, at most `closeTimeoutMs`. Then closes the connection. */
  readonly close: () => Promise<void>;
}

interface Live {
  readonly connection: Connection;
  readonly port: RedisPort;
  readonly inFlight: InFlight;
}

/** Returns the pause before an attempt to connect, in milliseconds. */
const pauseMs = (attempt: number): number =>
  // Partly random, so many clients don't reconnect at the same moment.
  Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2);

/**
 * Opens a connection, and replaces it when it breaks, or when calls wait and no reply arrives for `commandTimeoutMs`.
 * Rejects if the first connection can't be made.
 */
export async function openReconnecting(
  createConnection: CreateConnection,
  times: ConnectionTimes,
): Promise<OwnConnection> {
  const { commandTimeoutMs, pingAfterMs, pingTimeoutMs, connectTimeoutMs, closeTimeoutMs } = times;
  const closing = new AbortController();
  const { signal } = closing;
  const dial = createDial(createConnection, { connectTimeoutMs, signal });
  const pingInTime = createDeadlines(pingTimeoutMs, check);
  let live: Live | undefined;
  /** The error of the last failed attempt to connect. `undefined`: no attempt has failed since the connection broke. */
  let failure: unknown;

  async function connect(): Promise<void> {
    const connection = await dial((lost) => live?.connection === lost && replace());
    live = { connection, port: adaptClient(connection.client), inFlight: createInFlight() };
  }

  async function reconnect(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await sleep(pauseMs(attempt), undefined, { signal });
        return await connect();
      } catch (thrown) {
        if (signal.aborted) return;
        failure = thrown;
      }
    }
  }

  /** Closes the connection and begins to make a new one. Calls in flight fail with a retryable error. */
  function replace(): void {
    live?.connection.destroy();
    live = undefined;
    failure = undefined;
    if (!signal.aborted) void reconnect();
  }

  async function use<T>(kind: CallKind, send: (port: RedisPort) => Promise<T>): Promise<T> {
    if (signal.aborted) throw new ConnectionClosed();
    if (live === undefined) throw failure ?? new ConnectionLost("a new connection is being made");
    const { port, inFlight } = live;
    return inFlight.track(kind, () => send(port));
  }

  const limitMs = { call: commandTimeoutMs, ping: pingTimeoutMs, nothing: Number.POSITIVE_INFINITY };

  function check(): void {
    if (live === undefined) return;
    const waitsFor = live.inFlight.waitsFor();
    const silentMs = live.inFlight.silentMs();
    if (silentMs >= limitMs[waitsFor]) replace();
    else if (waitsFor === "nothing" && silentMs >= pingAfterMs) {
      pingInTime(use("ping", (port) => port.send(["PING"]))).catch(() => {});
    }
  }

  await connect();
  // Runs after the replies that arrived while the process was busy.
  const checking = setInterval(() => setImmediate(check), pingAfterMs / 3).unref();

  async function close(): Promise<void> {
    if (signal.aborted) return;
    closing.abort();
    clearInterval(checking);
    const last = live;
    if (last === undefined) return;
    await createDeadlines(closeTimeoutMs)(last.inFlight.idle()).catch(() => {});
    last.connection.destroy();
    live = undefined;
  }

  const port: RedisPort = {
    send: (args) => use(args[0] === "PING" ? "ping" : "call", (to) => to.send(args)),
    sendPipeline: (commands, key) => use("call", (to) => to.sendPipeline(commands, key)),
    sendTransaction: (commands, key) => use("call", (to) => to.sendTransaction(commands, key)),
    isCluster: false,
    mayResend: false,
    onTimeout: check,
  };
  return { port, close };
}

/** A ping, or any other call to the server. */
type CallKind = "call" | "ping";

/** Keeps track of the calls in flight on one connection, and of the time of the last reply. */
interface InFlight {
  readonly track: <T>(kind: CallKind, send: () => Promise<T>) => Promise<T>;
  /** `"call"` if a call other than a ping is in flight. `"ping"` if only pings are in flight. Otherwise `"nothing"`. */
  readonly waitsFor: () => CallKind | "nothing";
  /**
   * Returns the milliseconds since the last reply, or, if the connection was idle after it, since the next call was
   * sent.
   */
  readonly silentMs: () => number;
  /** Resolves when no call is in flight. */
  readonly idle: () => Promise<void>;
}

function createInFlight(): InFlight {
  const waiting: Record<CallKind, number> = { call: 0, ping: 0 };
  let progressAtMs = performance.now();
  let onIdle: (() => void) | undefined;

  const isIdle = (): boolean => waiting.call + waiting.ping === 0;

  return {
    track: async (kind, send) => {
      if (isIdle()) progressAtMs = performance.now();
      waiting[kind] += 1;
      try {
        return await send();
      } finally {
        waiting[kind] -= 1;
        progressAtMs = performance.now();
        if (isIdle()) onIdle?.();
      }
    },
    waitsFor: () => {
      if (isIdle()) return "nothing";
      return waiting.call > 0 ? "call" : "ping";
    },
    silentMs: () => performance.now() - progressAtMs,
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (isIdle()) resolve();
      }),
  };
}
