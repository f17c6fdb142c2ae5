import { serve } from "@hono/node-server";
import type { Agent, ModelProvider } from "@jaf/core";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createServerApp } from "@jaf/server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { createClient } from "redis";
import { comparedRoutes } from "./compared-routes.ts";
import { type RawEvent, type ServerRequest, type ServerSetup, serverSetupSchema } from "./server-messages.ts";
import { createSpeaker } from "./speak.ts";

/** The server of the measured streams: agents of a model that sends as many pieces as the message says, and the routes that it is compared with. */

const setup: ServerSetup = serverSetupSchema.parse(JSON.parse(process.argv[2] ?? ""));

const client = createClient({ url: setup.redisUrl });
client.on("error", () => {});
await client.connect();

const speak = createSpeaker(setup.perSecond);
const modelProvider: ModelProvider<unknown> = {
  getCompletion: () => Promise.reject(new Error("This model only streams.")),
  getCompletionStream: ({ messages }) => speak(Number(messages.at(-1)?.content)),
};
const agent: Agent<unknown, string> = { name: "speaker", instructions: "Speak." };
const keyPrefix = "jaf:";
const provider = await createRedisProvider({ type: "redis", keyPrefix }, client);
const served = await createServerApp(
  [agent],
  { modelProvider },
  {
    defaultMemoryProvider: provider,
    turnLog: createRedisTurnLog({ keyPrefix }, client),
    authenticate: (request) => ({ userId: request.headers.get("x-user") ?? "nobody" }),
  },
);

let recorded: readonly RawEvent[] = [];
const raw = new Hono().get("/raw", (context) =>
  streamSSE(context, async (stream) => {
    for (const event of recorded) await stream.writeSSE(event);
  }),
);
const compared = new Hono().route("/", raw).route("/", await comparedRoutes(setup.redisUrl, speak));
// Not mounted, because Hono would create another request for each request.
const fetch = (request: Request) =>
  request.url.endsWith("/chat") ? served.fetch(request) : compared.fetch(request);
const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  process.send?.({ url: `http://127.0.0.1:${port}` }),
);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", (request: ServerRequest) => {
  if (request.type === "record") recorded = request.events;
  if (request.type === "cpu") process.send?.({ cpuMs: cpuMs() });
  if (request.type === "memory") process.send?.({ heapBytes: heapBytes() });
});
process.on("disconnect", () => {
  server.close();
  setTimeout(() => process.exit(), 200);
});
