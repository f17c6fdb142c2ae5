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

const USERS = ["ada", "bob"];

/**
 * Starts an HTTP server with an empty memory. The token of a user is `token-of-<user>`. `everyone`: the user of all
 * requests, which then need no token.
 */
export async function startHttp({ everyone }: { readonly everyone?: string } = {}): Promise<Started> {
  const stores = await openStores("memory:");
  const errors: unknown[] = [];
  const tokens = new Map(USERS.map((user) => [`token-of-${user}`, user]));
  const handler = createMemoryHandler({
    stores,
    userOf: async (token = "") => everyone ?? tokens.get(token),
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
