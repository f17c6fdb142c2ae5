import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** Responds to the request with this number, from 0. */
export type Answer = (response: ServerResponse, received: Received, number: number) => void;

export interface TestServer {
  readonly url: string;
  readonly received: readonly Received[];
  readonly close: () => Promise<void>;
}

/** A real server on loopback. The test writes its responses byte by byte. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
    received.push(one);
    answer(response, one, received.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, received, close };
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

export const frame = (turnId: string, number: number, event: { readonly type: string }): string =>
  `id: ${turnId}:${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
