import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { createClient } from "redis";
import { createResumableStreamContext, type Publisher, type Subscriber } from "resumable-stream/generic";
import { type RawEvent, requestSchema } from "./server-messages.ts";
import type { Speak } from "./speak.ts";

const END: RawEvent = { event: "turn_end", data: JSON.stringify({ type: "turn_end", status: "completed" }) };
const HOUR_SECONDS = 3_600;

async function* eventsOf(speak: Speak, pieces: number): AsyncGenerator<RawEvent> {
  for await (const chunk of speak(pieces)) {
    if (chunk.type === "text_delta")
      yield { event: "text", data: JSON.stringify({ type: "text", text: chunk.text }) };
  }
  yield END;
}

/** A route that stores each piece with one `XADD` before it sends it: as durable as the server, without its turns. */
async function addXaddRoute(app: Hono, redisUrl: string, speak: Speak): Promise<void> {
  const client = createClient({ url: redisUrl });
  client.on("error", () => {});
  await client.connect();
  app.post("/xadd", async (context) => {
    const { message } = requestSchema.parse(await context.req.json());
    return streamSSE(context, async (stream) => {
      const key = `xadd:${randomUUID()}`;
      for await (const { event = "", data } of eventsOf(speak, Number(message))) {
        const id = await client.xAdd(key, "*", { event, data });
        await stream.writeSSE({ id, event, data });
      }
      await client.expire(key, HOUR_SECONDS);
    });
  });
}

/** A route with `resumable-stream`, which keeps a reply in the memory of its process: it isn't durable. */
async function addResumableRoute(app: Hono, redisUrl: string, speak: Speak): Promise<void> {
  const client = createClient({ url: redisUrl });
  client.on("error", () => {});
  const subscription = client.duplicate();
  subscription.on("error", () => {});
  await Promise.all([client.connect(), subscription.connect()]);
  const publisher: Publisher = {
    connect: async () => {},
    publish: (channel, text) => client.publish(channel, text),
    set: (key, value, { EX = HOUR_SECONDS } = {}) => client.setEx(key, EX, value),
    get: (key) => client.get(key),
    incr: (key) => client.incr(key),
  };
  const subscriber: Subscriber = {
    connect: async () => {},
    subscribe: (channel, listener) => subscription.subscribe(channel, listener),
    unsubscribe: (channel) => subscription.unsubscribe(channel),
  };
  const streams = createResumableStreamContext({ waitUntil: null, publisher, subscriber });
  app.post("/resumable", async (context) => {
    const { message } = requestSchema.parse(await context.req.json());
    const events = eventsOf(speak, Number(message));
    const texts = () =>
      new ReadableStream<string>({
        pull: async (controller) => {
          const { done, value } = await events.next();
          if (done === true) controller.close();
          else controller.enqueue(`event: ${value.event}\ndata: ${value.data}\n\n`);
        },
      });
    const stream = await streams.createNewResumableStream(randomUUID(), texts);
    if (stream === null) return context.notFound();
    return context.body(stream.pipeThrough(new TextEncoderStream()), 200, {
      "content-type": "text/event-stream",
    });
  });
}

/** Returns an app with the routes that the server is compared with. They get the same chunks and use the same Redis server. */
export async function comparedRoutes(redisUrl: string, speak: Speak): Promise<Hono> {
  const app = new Hono();
  await addXaddRoute(app, redisUrl, speak);
  await addResumableRoute(app, redisUrl, speak);
  return app;
}
