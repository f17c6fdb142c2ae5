import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import type { Agent, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createServerApp } from "@jaf/server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { createClient } from "redis";
import { type RawEvent, type ServerRequest, type ServerSetup, serverSetupSchema } from "./server-messages.ts";
import { stampedPiece } from "./stamp.ts";

/** The server of the measured streams: a model that sends pieces at a rate or immediately, and a route that Hono streams. */

const setup: ServerSetup = serverSetupSchema.parse(JSON.parse(process.argv[2] ?? ""));

const client = createClient({ url: setup.redisUrl });
client.on("error", () => {});
await client.connect();

/** Keeps the rate by the clock, so a late piece doesn't delay the next ones. */
async function* speak(): AsyncGenerator<ModelStreamChunk> {
  const start = performance.now();
  for (let nth = 0; nth < setup.pieces; nth++) {
    if (setup.perSecond !== undefined) {
      const wait = start + (nth * 1_000) / setup.perSecond - performance.now();
      if (wait > 0) await sleep(wait);
    }
    yield { type: "text_delta", text: stampedPiece(nth) };
  }
  yield { type: "done" };
}

const modelProvider: ModelProvider<unknown> = {
  getCompletion: () => Promise.reject(new Error("This model only streams.")),
  getCompletionStream: speak,
};
const agent: Agent<unknown, string> = { name: "speaker", instructions: "Speak." };
const keyPrefix = "jaf:";
const provider = await createRedisProvider({ type: "redis", keyPrefix }, client);
const served = await createServerApp(
  [agent],
  { modelProvider },
  {
    defaultMemoryProvider: provider,
    turnLog: createRedisTurnLog(client, { keyPrefix }),
    authenticate: (request) => ({ userId: request.headers.get("x-user") ?? "nobody" }),
  },
);

let recorded: readonly RawEvent[] = [];
const raw = new Hono().get("/raw", (context) =>
  streamSSE(context, async (stream) => {
    for (const event of recorded) await stream.writeSSE(event);
  }),
);
const app = new Hono().route("/", raw).mount("/", served.fetch);
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  process.send?.({ url: `http://127.0.0.1:${port}` }),
);

process.on("message", (request: ServerRequest) => {
  if (request.type === "record") recorded = request.events;
  if (request.type === "memory") {
    globalThis.gc?.();
    process.send?.({ heapBytes: process.memoryUsage().heapUsed, cpuMs: process.cpuUsage().user / 1_000 });
  }
});
process.on("disconnect", () => {
  server.close();
  setTimeout(() => process.exit(), 200);
});
