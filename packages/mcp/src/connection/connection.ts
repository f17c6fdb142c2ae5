import { backoffDelayMs } from "@jaf/memory/internal";
import type { Client, PriorDiscovery, Transport } from "@modelcontextprotocol/client";
import type { ParsedOptions, ParsedServer } from "../options.ts";
import { report } from "../reports.ts";
import { type Failure, failureOf, McpFailure } from "./failure.ts";
import { closeQuietly, type OpenedClient, openClient } from "./open-client.ts";
import { type HttpTransport, isHttpTransport } from "./transport.ts";

/** How a server is doing. `"disconnected"`: the next call connects again. */
export type ConnectionState = "connected" | "disconnected" | "unauthorized" | "closed";

export interface UseOptions {
  /** Whether the request may be made twice. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  readonly state: () => ConnectionState;
  /** The client of the current connection, if there is one. */
  readonly client: () => Client | undefined;
  /**
   * Makes a request, and connects before if need be. If that fails, waits, connects again where it has to, and
   * repeats the request once, provided that it reached nothing or may be made twice. Rejects with {@link McpFailure}.
   */
  readonly use: <T>(request: (client: Client) => Promise<T>, options: UseOptions) => Promise<T>;
  /** Finishes a login and connects. Rejects with the client's error if the login fails. */
  readonly finishAuth: (callbackParams: URLSearchParams) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ConnectionSource {
  readonly name: string;
  readonly server: ParsedServer;
  readonly options: ParsedOptions;
  readonly onListChanged: () => void;
  /** Called after each connection that replaces an earlier one. */
  readonly onReconnected: () => void;
}

const RECONNECT_DELAY = { baseDelayMs: 500, random: () => 0.5 + Math.random() / 2 };

export function createConnection(source: ConnectionSource): Connection {
  const { name, options } = source;
  let state: ConnectionState = "disconnected";
  let current: OpenedClient | undefined;
  let opening: Promise<OpenedClient> | undefined;
  let prior: PriorDiscovery | undefined;
  let lastTransport: Transport | undefined;
  let wasConnected = false;

  const isClosed = (): boolean => state === "closed";

  function drop(opened: OpenedClient): void {
    if (current !== opened) return;
    current = undefined;
    if (!isClosed()) state = "disconnected";
  }

  async function connect(): Promise<OpenedClient> {
    try {
      const opened = await openClient({
        ...source,
        prior,
        onTransport: (transport) => {
          lastTransport = transport;
        },
      });
      if (isClosed()) {
        await closeQuietly(opened.client, opened.transport);
        throw new McpFailure({ kind: "unreachable" });
      }
      opened.client.onclose = () => drop(opened);
      const discover = opened.client.getDiscoverResult();
      prior = discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
      current = opened;
      state = "connected";
      if (wasConnected) source.onReconnected();
      wasConnected = true;
      return opened;
    } catch (thrown) {
      // What an earlier connection found out may be the reason.
      prior = undefined;
      const failure = unreached(failureOf(thrown));
      if (!isClosed()) {
        state = failure.kind === "unauthorized" ? "unauthorized" : "disconnected";
        report(options.onWarning, { type: state, server: name, message: new McpFailure(failure).message });
      }
      throw new McpFailure(failure, thrown);
    }
  }

  function opened(): Promise<OpenedClient> {
    if (isClosed()) return Promise.reject(new McpFailure({ kind: "unreachable" }));
    if (current !== undefined) return Promise.resolve(current);
    opening ??= connect().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function use<T>(
    request: (client: Client) => Promise<T>,
    { repeatable, signal }: UseOptions,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const using = await opened();
      signal?.throwIfAborted();
      try {
        return await request(using.client);
      } catch (thrown) {
        signal?.throwIfAborted();
        const failure = failureOf(thrown);
        if (failure.isConnectionGone === true) {
          drop(using);
          void closeQuietly(using.client, using.transport);
        }
        const repeats = failure.kind === "unreachable" || (failure.kind === "lost" && repeatable);
        if (!repeats || attempt === 2 || isClosed()) throw new McpFailure(failure, thrown);
        await pause(backoffDelayMs(1, RECONNECT_DELAY), signal);
      }
    }
  }

  return {
    state: () => state,
    client: () => current?.client,
    use,
    finishAuth: async (callbackParams) => {
      const transport = loginTransport(lastTransport);
      await transport.finishAuth(callbackParams);
      await opened();
    },
    close: async () => {
      state = "closed";
      if (opening !== undefined) await lastTransport?.close().catch(() => {});
      const last = current ?? (await opening?.catch(() => undefined));
      current = undefined;
      if (last !== undefined) await closeQuietly(last.client, last.transport);
    },
  };
}

/** A request that fails while connecting did nothing, whatever the reason. */
const unreached = (failure: Failure): Failure =>
  failure.kind === "unauthorized" ? failure : { kind: "unreachable" };

function loginTransport(transport: Transport | undefined): HttpTransport {
  if (transport !== undefined && isHttpTransport(transport)) return transport;
  throw new TypeError("finishAuth: this server has no address, so it takes no login.");
}

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
