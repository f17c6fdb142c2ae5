import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { MAX_DEPTH } from "@jaf/memory/internal";
import type { Hono } from "hono";
import type { ServerEnvironment } from "./http/router.ts";

/** A handler for requests of a Node.js server. Resolves once the response is sent. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** A request of a Node.js server, whose body a framework may already have read. */
interface ParsedRequest extends IncomingMessage {
  /** The body as the framework parsed it. Absent if the framework parsed no body. */
  readonly body?: unknown;
  /** The bytes of the body. Absent: Hono's listener reads them from the request. */
  rawBody?: Buffer;
}

/** Creates a handler that the application calls for requests of its own Node.js server. */
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
      // Without `rawBody`, the listener would wait forever for a body that was already read.
      incoming.rawBody = body ?? Buffer.alloc(0);
      if (body === undefined) lost.add(incoming);
    }
    await listener(incoming, outgoing);
  };
}

/** Converts a body that a framework has parsed into bytes. Returns `undefined` if there is no parsed body. */
function bodyOf(parsed: unknown): Buffer | undefined {
  if (parsed === undefined) return undefined;
  if (parsed instanceof Uint8Array) return Buffer.from(parsed);
  if (typeof parsed === "string") return Buffer.from(parsed);
  try {
    return Buffer.from(JSON.stringify(parsed));
  } catch {
    // The body is nested so deeply that `JSON.stringify` fails. This text is refused for the same reason.
    return Buffer.from("[".repeat(MAX_DEPTH + 1));
  }
}
