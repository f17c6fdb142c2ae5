import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Fakes of model services as real servers. They refuse the requests that the services refuse by their documentation. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A service's answer instead of a reply. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** The provider's own name for the kind of error, if it isn't the usual one. */
  readonly code: string | undefined;
  constructor(message: string, status = 400, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** One event of a stream. `event` is its name, if the service has names. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: JsonObject;
}

export interface ServiceRequest {
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export type ServiceReply =
  | { readonly kind: "json"; readonly body: JsonObject }
  | { readonly kind: "stream"; readonly events: readonly StreamEvent[]; readonly end?: string };

export interface ReceivedRequest extends ServiceRequest {
  readonly status: number;
  /** The reason of the refusal. */
  readonly refusal?: string;
}

export interface RunningService {
  /** Without a trailing slash. */
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly ReceivedRequest[];
  readonly close: () => Promise<void>;
}

interface ServiceOptions {
  /** Throws a {@link Refusal}. */
  readonly answer: (request: ServiceRequest) => ServiceReply;
  /** The body of an error in the provider's format. */
  readonly errorBody: (refusal: Refusal) => JsonObject;
}

export async function startService({ answer, errorBody }: ServiceOptions): Promise<RunningService> {
  const requests: ReceivedRequest[] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    try {
      const reply = answer(request);
      requests.push({ ...request, status: 200 });
      send(response, reply);
    } catch (thrown) {
      // 501 marks an error in the fake itself, because no service answers with it.
      const refusal = thrown instanceof Refusal ? thrown : new Refusal(`fault of the fake: ${thrown}`, 501);
      requests.push({ ...request, status: refusal.status, refusal: refusal.message });
      response.writeHead(refusal.status, { "content-type": "application/json" });
      response.end(JSON.stringify(errorBody(refusal)));
    }
  }

  // A client may pause for longer than the default of 5 s, where a machine is busy.
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return { path: incoming.url ?? "/", headers, body: parseObject(Buffer.concat(chunks).toString("utf8")) };
}

/** Treats other values as an empty object, so every service reports its first field as missing. */
function parseObject(text: string): JsonObject {
  try {
    const parsed: Json = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Returns the objects of a list. `where` is its name in the refusal of other values. */
export function objectsOf(value: Json | undefined, where: string): readonly JsonObject[] {
  if (!isList(value)) throw new Refusal(`${where}: Input should be a valid list`);
  return value.map((item, index) => {
    if (!isObject(item)) throw new Refusal(`${where}.${index}: Input should be an object`);
    return item;
  });
}

export function textOf(value: Json | undefined, where: string): string {
  if (typeof value !== "string") throw new Refusal(`${where}: Input should be a valid string`);
  return value;
}

function send(response: ServerResponse, reply: ServiceReply): void {
  switch (reply.kind) {
    case "json":
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply.body));
      return;
    case "stream":
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const { event, data } of reply.events) {
        const name = event === undefined ? "" : `event: ${event}\n`;
        response.write(`${name}data: ${JSON.stringify(data)}\n\n`);
      }
      response.end(reply.end);
      return;
  }
}
