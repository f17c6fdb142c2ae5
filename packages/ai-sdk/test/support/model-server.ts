import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sends this many bytes of the body and closes: `"end"` ends normally, `"cut"` breaks the connection. */
  readonly stop?: { readonly after: number; readonly by: "end" | "cut" };
}

export interface ModelServer {
  readonly url: string;
  /** The parsed request bodies. */
  readonly requests: readonly unknown[];
  readonly close: () => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** A model service on a free port, which sends the given answers. */
export async function startModelServer(answerTo: (request: unknown) => Answer): Promise<ModelServer> {
  const requests: unknown[] = [];
  const server: Server = createServer(async (incoming, response) => {
    const request = await bodyOf(incoming);
    requests.push(request);
    const { status = 200, headers, body, stop } = answerTo(request);
    const bytes = Buffer.from(body);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    if (stop === undefined) response.end(bytes);
    else if (stop.by === "end") response.end(bytes.subarray(0, stop.after));
    else {
      response.write(bytes.subarray(0, stop.after));
      setImmediate(() => response.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const EVENT_STREAM = { "content-type": "text/event-stream" };

export const sse = (events: readonly object[], end = ""): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + end;
