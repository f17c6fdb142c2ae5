import type { IncomingMessage } from "node:http";
import { serve } from "@hono/node-server";
import { createRoutedApp } from "./app.ts";
import type { ServedAgents, ServerAppOptions, ServerRunConfig } from "./options.ts";

/** Options of {@link runServer}. */
export interface ServerOptions<Ctx> extends ServerAppOptions<Ctx> {
  /** The port to listen on. `0`: any free port. Default 3000. */
  readonly port?: number;
  /**
   * The address to listen on. Any address other than a loopback address requires `authenticate`. Default `"127.0.0.1"`.
   */
  readonly host?: string;
}

/** A server that listens on a port. */
export interface RunningServer {
  /** Base URL, e.g. `"http://127.0.0.1:3000"`. */
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /**
   * Stops accepting requests, ends all event streams, and waits for running turns, for at most `shutdownMs`. Turns that
   * still run after this time are handed over: another process continues them. Doesn't close the stores.
   */
  readonly close: () => Promise<void>;
}

/** Checks whether a GET or HEAD request has a body, which no route reads. */
const hasUnreadBody = ({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean =>
  (method === "GET" || method === "HEAD") &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

const REMEDIES = new Map([
  [
    "EADDRINUSE",
    "another program uses this port. Stop it, or set the option port to another one (0: any free port)",
  ],
  ["EACCES", "the system doesn't allow this port. Set the option port to one from 1024"],
  ["EADDRNOTAVAIL", "this machine doesn't have the address. Set the option host to another one"],
]);

/** Returns the system's error with a message that says what to do. Other errors stay as they are. */
function listenError(thrown: unknown, address: string): unknown {
  const { code = "" } = thrown as NodeJS.ErrnoException;
  const remedy = REMEDIES.get(code);
  if (remedy === undefined) return thrown;
  return Object.assign(new Error(`Can't listen on ${address} (${code}): ${remedy}.`), thrown);
}

/**
 * Serves agents over HTTP on Node.js. For other runtimes, use `createServerApp`. Rejects with a `TypeError` if an
 * option is invalid. If the server can't listen on the port, rejects with an error that has the system's `code` (e.g.
 * `EADDRINUSE`) and says in one line what to do.
 *
 * @example
 * ```ts
 * import type { Agent, ModelProvider } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { runServer } from "@jaf/server";
 *
 * declare const modelProvider: ModelProvider<unknown>;
 * const agent: Agent<unknown, string> = { name: "assistant", instructions: "Help the user." };
 * const options = { port: 3000, defaultMemoryProvider: createInMemoryProvider() };
 *
 * const server = await runServer([agent], { modelProvider }, options);
 * console.log(server.url); // POST /chat { "message": "Hi" }
 * process.once("SIGTERM", () => void server.close());
 * ```
 */
export async function runServer<Ctx>(
  agents: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerOptions<Ctx> = {},
): Promise<RunningServer> {
  const { port = 3_000, host = "127.0.0.1", ...appOptions } = options;
  if (options.authenticate === undefined && !LOOPBACK.has(host))
    throw new TypeError(
      `Invalid server options: host: expected a loopback address, not ${JSON.stringify(host)}, since without authenticate() all clients are the same user.`,
    );
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const { app, ...rest } = await createRoutedApp(agents, config, appOptions);
  const server = serve({
    fetch: (request, { incoming, outgoing }) => {
      // On an open connection, Node.js would read the whole body, which can take minutes.
      if (hasUnreadBody(incoming) && "shouldKeepAlive" in outgoing) outgoing.shouldKeepAlive = false;
      return app.fetch(request, { cutOff: () => void outgoing.destroy() });
    },
    ...{ port, hostname: host },
  });
  const listening = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  }).catch(async (thrown: unknown) => {
    await rest.close();
    throw listenError(thrown, `${shownHost}:${port}`);
  });
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    await rest.close();
    if ("closeIdleConnections" in server) server.closeIdleConnections();
    const timer = setTimeout(() => {
      if ("closeAllConnections" in server) server.closeAllConnections();
    }, 1_000);
    await closed;
    clearTimeout(timer);
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${shownHost}:${listening}`,
    port: listening,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
