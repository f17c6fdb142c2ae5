import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { ServerEnvironment } from "./http/router.ts";

/** A handler of Node.js requests. Resolves once the response is sent. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** A request whose body a framework may have read: `body` is what its parser made of it. */
type ParsedRequest = IncomingMessage & { readonly body?: unknown; rawBody?: Buffer };

/** Returns a handler for a server of Node.js that belongs to the application. */
export function createNodeHandler(app: Hono<ServerEnvironment>): NodeHandler {
  const lost = new WeakSet<object>();
  const listener = getRequestListener(
    (request, { incoming, outgoing }) =>
      app.fetch(request, { cutOff: () => void outgoing.destroy(), isBodyLost: lost.has(incoming) }),
    { overrideGlobalObjects: false },
  );
  return async (incoming: ParsedRequest, outgoing) => {
    if (incoming.readableDidRead && incoming.rawBody === undefined) {
      const body = bodyOf(incoming.body);
      // The listener would wait for a body that never comes.
      incoming.rawBody = body ?? Buffer.alloc(0);
      if (body === undefined) lost.add(incoming);
    }
    await listener(incoming, outgoing);
  };
}

/** Returns the bytes of a parsed body. `undefined` if there is none. */
function bodyOf(parsed: unknown): Buffer | undefined {
  if (parsed === undefined) return undefined;
  if (parsed instanceof Uint8Array) return Buffer.from(parsed);
  if (typeof parsed === "string") return Buffer.from(parsed);
  try {
    return Buffer.from(JSON.stringify(parsed));
  } catch {
    // It is nested so deeply that it overflows the stack. The server refuses this as it refuses such a body.
    return Buffer.from("not JSON");
  }
}
