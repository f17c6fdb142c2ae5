import { once } from "node:events";
import { serve } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { createMemoryHandler, openStores, type Stores } from "../../src/index.ts";

export interface Started {
  readonly url: string;
  readonly stores: Stores;
  /** Errors that the server reported. */
  readonly errors: readonly unknown[];
}

/** Starts an HTTP server with an empty memory. The token of a user is `token-of-<user>`. */
export async function startHttp(users: readonly string[] = ["ada", "bob"]): Promise<Started> {
  const stores = await openStores("memory:");
  const errors: unknown[] = [];
  const tokens = new Map(users.map((user) => [`token-of-${user}`, user]));
  const handler = createMemoryHandler({
    stores,
    userOf: async (token = "") => tokens.get(token),
    onError: (error) => errors.push(error),
  });
  const server = serve({ fetch: handler.fetch, hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  onTestFinished(async () => {
    await handler.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
    await stores.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}/mcp`, stores, errors };
}
