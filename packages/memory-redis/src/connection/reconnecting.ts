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

/** All in milliseconds. */
export interface ConnectionTimes {
  /** Until a connection without any reply, with calls that wait for one, is given up. */
  readonly commandTimeoutMs: number;
  /** How long nobody used the connection when a ping asks whether it is still there. */
  readonly pingAfterMs: number;
  /** Until a connection that left such a ping without a reply is given up. */
  readonly pingTimeoutMs: number;
  /** Until an attempt to connect and to log in is given up. */
  readonly connectTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

export interface OwnConnection {
  readonly port: RedisPort;
  /** Waits for calls in flight, but no longer than `closeTimeoutMs`. */
  readonly close: () => Promise<void>;
}

interface Live {
  readonly connection: Connection;
  readonly port: RedisPort;
  readonly inFlight: InFlight;
}

/** Milliseconds to wait before an attempt: soon at first, then every two seconds, never all clients at once. */
const pauseMs = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2);

/**
 * Keeps one connection, and replaces it when it broke or is dead. A connection whose other side vanished looks like one
 * whose server is slow; it counts as dead if no reply at all came within the timeout of a call. So a slow server that still
 * replies keeps its connection, and however many calls time out together, it is replaced once.
 *
 * Rejects where the first connection can't be made.
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
  /** Why there is no connection, as far as that is known. */
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

  /** Calls in flight fail with a retryable error. */
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
  // After the replies that came while the process was busy.
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

/** Pings wait for less long than calls. */
type CallKind = "call" | "ping";

/** The calls in flight on one connection, and whether replies come back. */
interface InFlight {
  readonly track: <T>(kind: CallKind, send: () => Promise<T>) => Promise<T>;
  /** `"call"` where at least one is in flight. */
  readonly waitsFor: () => CallKind | "nothing";
  /** Milliseconds since the last reply, or, where none was due then, since the first call after it. */
  readonly silentMs: () => number;
  /** Resolves when nothing is in flight. */
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
