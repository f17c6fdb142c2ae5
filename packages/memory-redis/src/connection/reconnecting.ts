import { setTimeout as sleep } from "node:timers/promises";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisPort } from "../client/port.ts";
import { createDeadlines } from "../deadlines.ts";
import type { CreateLink, Link } from "./link.ts";

/** There is no connection at the moment, and a new one is being made. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The provider was closed, and its connection with it. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
}

const CLOSED = "the provider was closed";

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
  /** Waits for the replies that are due, and not for a server that gives none. */
  readonly close: () => Promise<void>;
}

interface Live {
  readonly link: Link;
  readonly port: RedisPort;
  /** How many of each wait for a reply. */
  readonly waiting: { calls: number; pings: number };
  /** When the last reply came, or, where none was due, when the first call after it was sent. */
  progressAtMs: number;
  /** Called when no reply is due any more. */
  onSettled?: () => void;
}

/** Milliseconds to wait before an attempt: soon at first, then every two seconds, never all clients at once. */
const pauseMs = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2);

const isBusy = ({ waiting }: Live): boolean => waiting.calls + waiting.pings > 0;

/**
 * Keeps one connection, and replaces it where it broke or is dead. A connection whose other side vanished without a word
 * looks like one whose server is slow; it counts as dead if no reply at all came for the time that a call has. So a
 * server that answers, however late, keeps its connection, and many calls that run out together are one connection.
 *
 * Rejects where the first connection can't be made.
 */
export async function openReconnecting(
  createLink: CreateLink,
  times: ConnectionTimes,
): Promise<OwnConnection> {
  const { commandTimeoutMs, pingAfterMs, pingTimeoutMs, connectTimeoutMs, closeTimeoutMs } = times;
  const connectDeadline = createDeadlines(connectTimeoutMs);
  const pingDeadline = createDeadlines(pingTimeoutMs, check);
  const closing = new AbortController();
  let live: Live | undefined;
  /** Why there is no connection, as far as that is known. */
  let failure: unknown;

  /** Rejects when the provider is closed, whatever the work does. */
  const orClosed = (work: Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new ConnectionClosed(CLOSED));
      closing.signal.addEventListener("abort", giveUp);
      const done = () => closing.signal.removeEventListener("abort", giveUp);
      work.finally(done).then(resolve, reject);
    });

  async function connect(): Promise<void> {
    let lost = false;
    const link = createLink(() => {
      lost = true;
      if (live?.link === link) replace();
    });
    try {
      await connectDeadline(orClosed(link.connect()));
      if (lost) throw new ConnectionLost("the connection broke at once");
      const waiting = { calls: 0, pings: 0 };
      live = { link, port: adaptClient(link.client), waiting, progressAtMs: performance.now() };
    } catch (thrown) {
      link.destroy();
      throw thrown;
    }
  }

  async function reconnect(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await sleep(pauseMs(attempt), undefined, { signal: closing.signal });
        return await connect();
      } catch (thrown) {
        if (closing.signal.aborted) return;
        failure = thrown;
      }
    }
  }

  /** What is under way fails, and may be tried again. */
  function replace(): void {
    live?.link.destroy();
    live = undefined;
    failure = undefined;
    if (!closing.signal.aborted) void reconnect();
  }

  async function track<T>(kind: "calls" | "pings", send: (port: RedisPort) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) throw new ConnectionClosed(CLOSED);
    if (live === undefined) throw failure ?? new ConnectionLost("a new connection is being made");
    const used = live;
    if (!isBusy(used)) used.progressAtMs = performance.now();
    used.waiting[kind] += 1;
    try {
      return await send(used.port);
    } finally {
      used.waiting[kind] -= 1;
      used.progressAtMs = performance.now();
      if (!isBusy(used)) used.onSettled?.();
    }
  }

  function check(): void {
    if (live === undefined) return;
    const silentMs = performance.now() - live.progressAtMs;
    if (isBusy(live)) {
      if (silentMs >= (live.waiting.calls > 0 ? commandTimeoutMs : pingTimeoutMs)) replace();
    } else if (silentMs >= pingAfterMs) {
      pingDeadline(track("pings", (port) => port.send(["PING"]))).catch(() => {});
    }
  }

  await connect();
  // After the replies that came while the process was busy.
  const checking = setInterval(() => setImmediate(check), pingAfterMs / 3).unref();

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort();
    clearInterval(checking);
    const last = live;
    if (last === undefined) return;
    const settled = new Promise<void>((resolve) => {
      last.onSettled = resolve;
      if (!isBusy(last)) resolve();
    });
    await createDeadlines(closeTimeoutMs)(settled).catch(() => {});
    last.link.destroy();
    live = undefined;
  }

  const port: RedisPort = {
    send: (args) => track(args[0] === "PING" ? "pings" : "calls", (to) => to.send(args)),
    sendInTurn: (commands, key) => track("calls", (to) => to.sendInTurn(commands, key)),
    sendAsOne: (commands, key) => track("calls", (to) => to.sendAsOne(commands, key)),
    isCluster: false,
    mayResend: false,
    onTimeout: check,
  };
  return { port, close };
}
