import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { ModelHttpError, type ModelService, serviceErrors } from "../../src/index.ts";

export class TestError extends ModelHttpError {
  override readonly name = "TestError";
}

export const errors = serviceErrors(TestError);

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a server with the given answers, and a service that calls it. Closes after the test. */
export async function httpService(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: Received[] = [];
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    response.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { service: serviceAt(port), received, open: () => open };
}

export const serviceAt = (port: number): ModelService => ({
  url: `http://127.0.0.1:${port}/v1`,
  headers: { "content-type": "application/json", "x-own": "1" },
  fetch: globalThis.fetch,
  provider: "mine",
  hasKey: true,
  errors,
});
