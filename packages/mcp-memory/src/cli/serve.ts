import { once } from "node:events";
import { type ServerType, serve } from "@hono/node-server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Failure } from "../failure.ts";
import { createMemoryHandler } from "../http/handler.ts";
import { openTokens } from "../http/tokens.ts";
import { createMemoryServer } from "../server.ts";
import type { Stores } from "../stores.ts";
import { logError } from "./log.ts";

/** Serves one user over stdio until the client closes stdin, or until the process is asked to end. */
export async function serveOverStdio(stores: Stores, { userId }: { readonly userId: string }): Promise<void> {
  const ended = Promise.race([stopSignal(), once(process.stdin, "end"), once(process.stdin, "close")]);
  const server = serveStdio(() => createMemoryServer({ stores, userId, onError: logError }), {
    onerror: logError,
  });
  await ended;
  await server.close();
}

interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly hostnames: readonly string[];
  readonly userId: string;
  /** Whether everyone who reaches the server is `userId`, without a token. */
  readonly open: boolean;
  readonly tokensFile: string;
}

/** How long requests that are under way may take after the process was asked to end. */
const GRACE_MS = 5_000;

/** Serves HTTP until the process is asked to end. */
export async function serveHttp(stores: Stores, options: HttpOptions): Promise<void> {
  const { host, port, hostnames, userId, open, tokensFile } = options;
  const tokens = openTokens(tokensFile);
  if (!open && (await tokens.list()).length === 0)
    console.error(
      "jaf-mcp-memory: no user has a token yet. Make one: jaf-mcp-memory token add --user <name>",
    );
  const handler = createMemoryHandler({
    ...{ stores, hostnames, onError: logError },
    userOf: async (token) => (open ? userId : token === undefined ? undefined : tokens.userOf(token)),
  });
  const stopped = stopSignal();
  const server = serve({ fetch: handler.fetch, hostname: host, port });
  await listening(server, host);
  const address = server.address();
  const shown = typeof address === "object" && address !== null ? address.port : port;
  console.error(`jaf-mcp-memory: http://${host.includes(":") ? `[${host}]` : host}:${shown}/mcp`);
  await stopped;
  await closed(server);
  await handler.close();
}

async function listening(server: ServerType, host: string): Promise<void> {
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    throw new Failure(`HTTP can't listen on ${host} (${code}). Choose another --http port or --host.`);
  });
}

/** Waits for the requests that are under way, then cuts off what is left. */
async function closed(server: ServerType): Promise<void> {
  const timer = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), GRACE_MS);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  clearTimeout(timer);
}

/** Resolves when the process is asked to end. A second signal ends it at once. */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
