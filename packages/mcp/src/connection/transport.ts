import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ParsedEndpoint, ParsedServer } from "../options.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** A transport over which a login can be finished. */
export type HttpTransport = StreamableHTTPClientTransport | SSEClientTransport;

export const isHttpTransport = (transport: Transport): transport is HttpTransport =>
  "finishAuth" in transport;

export async function createTransport(server: ParsedServer, messageBytes: number): Promise<Transport> {
  if ("url" in server)
    return new StreamableHTTPClientTransport(new URL(server.url), httpOptions(server, messageBytes));
  // Loaded only where it is used, because it needs Node.
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args, env, cwd, stderr } = server;
  return new StdioClientTransport({
    ...{ command, args: [...args], env: { ...env }, stderr },
    ...(cwd === undefined ? {} : { cwd }),
    maxBufferSize: messageBytes,
  });
}

/** The transport of servers from before March 2025. */
export const createSseTransport = (server: ParsedEndpoint, messageBytes: number): Transport =>
  new SSEClientTransport(new URL(server.url), httpOptions(server, messageBytes));

function httpOptions(
  { headers, authProvider, fetch = globalThis.fetch }: ParsedEndpoint,
  messageBytes: number,
) {
  return {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(fetch, messageBytes),
    ...(authProvider === undefined ? {} : { authProvider }),
  };
}
