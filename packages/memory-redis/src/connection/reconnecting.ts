import { setTimeout as sleep } from "node:timers/promises";
import { adaptClient } from "../client/adapt-client.ts";
import type { RedisPort } from "../client/port.ts";
import { createDeadlines } from "../deadlines.ts";
import { ConnectionClosed, ConnectionLost, createDial } from "./dial.ts";
import type { CreateLink, Link } from "./link.ts";
import { createTraffic, type Traffic, type TrafficKind } from "./traffic.ts";

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
  readonly traffic: Traffic;
}

/** Milliseconds to wait before an attempt: soon at first, then every two seconds, never all clients at once. */
const pauseMs = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2);

/**
 * Keeps one connection, and replaces it where it broke or is dead. A connection whose other side vanished without a word
 * looks like one whose server is slow; it counts as dead if no reply at all came for the time that a call has. So a
 * server that answers, however late, keeps its connection, and however many calls run out together, it is replaced once.
 *
 * Rejects where the first connection can't be made.
 */
export async function openReconnecting(
  createLink: CreateLink,
  times: ConnectionTimes,
): Promise<OwnConnection> {
  const { commandTimeoutMs, pingAfterMs, pingTimeoutMs, connectTimeoutMs, closeTimeoutMs } = times;
  const closing = new AbortController();
  const { signal } = closing;
  const dial = createDial(createLink, { connectTimeoutMs, signal });
  const pingInTime = createDeadlines(pingTimeoutMs, check);
  let live: Live | undefined;
  /** Why there is no connection, as far as that is known. */
  let failure: unknown;

  async function connect(): Promise<void> {
    const link = await dial((lost) => live?.link === lost && replace());
    live = { link, port: adaptClient(link.client), traffic: createTraffic() };
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

  /** What is under way fails, and may be tried again. */
  function replace(): void {
    live?.link.destroy();
    live = undefined;
    failure = undefined;
    if (!signal.aborted) void reconnect();
  }

  async function use<T>(kind: TrafficKind, send: (port: RedisPort) => Promise<T>): Promise<T> {
    if (signal.aborted) throw new ConnectionClosed();
    if (live === undefined) throw failure ?? new ConnectionLost("a new connection is being made");
    const { port, traffic } = live;
    return traffic.track(kind, () => send(port));
  }

  const limitMs = { call: commandTimeoutMs, ping: pingTimeoutMs, nothing: Number.POSITIVE_INFINITY };

  function check(): void {
    if (live === undefined) return;
    const waitsFor = live.traffic.waitsFor();
    const silentMs = live.traffic.silentMs();
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
    await createDeadlines(closeTimeoutMs)(last.traffic.settled()).catch(() => {});
    last.link.destroy();
    live = undefined;
  }

  const port: RedisPort = {
    send: (args) => use(args[0] === "PING" ? "ping" : "call", (to) => to.send(args)),
    sendInTurn: (commands, key) => use("call", (to) => to.sendInTurn(commands, key)),
    sendAsOne: (commands, key) => use("call", (to) => to.sendAsOne(commands, key)),
    isCluster: false,
    mayResend: false,
    onTimeout: check,
  };
  return { port, close };
}
