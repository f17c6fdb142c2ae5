import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp, type ServerApp, type ServerAppOptions } from "@jaf/server";
import { createJafClient } from "@jaf/server/client";
import express from "express";
import createFastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { assistant, saying } from "./support/test-server.ts";

const require = createRequire(import.meta.url);
/** Has no types of its own here. */
const express4: typeof express = require("express-4");

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener));

/** A framework with a server at `/jaf`. Returns the URL of the framework. */
interface Framework {
  /** Whether requests arrive with the path at which the server is mounted. */
  readonly keepsPath?: boolean;
  readonly start: (app: ServerApp) => Promise<string>;
}

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  "Express 5": { start: (app) => serve(express().use("/jaf", app.nodeHandler)) },
  "Express 5 behind express.json()": {
    start: (app) => serve(express().use(express.json()).use("/jaf", app.nodeHandler)),
  },
  "Express 5 behind express.text()": {
    start: (app) =>
      serve(
        express()
          .use(express.text({ type: "*/*" }))
          .use("/jaf", app.nodeHandler),
      ),
  },
  "Express 5 behind express.raw()": {
    start: (app) =>
      serve(
        express()
          .use(express.raw({ type: "*/*" }))
          .use("/jaf", app.nodeHandler),
      ),
  },
  "Express 4": { start: (app) => serve(express4().use("/jaf", app.nodeHandler)) },
  "Express 4 behind express.json()": {
    start: (app) => serve(express4().use(express4.json()).use("/jaf", app.nodeHandler)),
  },
  "Hono on Node.js": {
    start: (app) => serve(getRequestListener(new Hono().mount("/jaf", app.fetch).fetch)),
  },
  "a route handler of Next.js": {
    keepsPath: true,
    // Next calls the handler with a web request.
    start: (app) => serve(getRequestListener(async (request) => app.fetch(request))),
  },
  Fastify: {
    keepsPath: true,
    start: async (app) => {
      const fastify = createFastify();
      fastify.all("/jaf/*", (request, reply) => {
        reply.hijack();
        void app.nodeHandler(Object.assign(request.raw, { body: request.body }), reply.raw);
      });
      onTestFinished(() => fastify.close());
      return fastify.listen({ port: 0, host: "127.0.0.1" });
    },
  },
};

async function mount({ keepsPath, start }: Framework, options: ServerAppOptions<unknown> = {}) {
  const app = await createServerApp(
    [assistant],
    { modelProvider: saying("Hello.") },
    {
      ...{ defaultMemoryProvider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() },
      ...(keepsPath === true ? { basePath: "/jaf" } : {}),
      ...options,
    },
  );
  onTestFinished(async () => void (await app.close()));
  const baseUrl = `${await start(app)}/jaf`;
  const post = (path: string, body: string) =>
    fetch(`${baseUrl}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return { baseUrl, post, client: createJafClient({ baseUrl }) };
}

describe.each(Object.entries(FRAMEWORKS))("a server in %s", (_, framework) => {
  it("answers JSON, with and without a body", async () => {
    const { baseUrl, post } = await mount(framework);
    const chat = await post("/chat", JSON.stringify({ message: "Hi «ä»." }));
    expect(chat.headers.get("x-request-id")).toBeTruthy();
    const { data } = (await chat.json()) as { data: { text: string; conversationId: string } };
    expect(data.text).toBe("Hello.");
    const url = `${baseUrl}/conversations/${data.conversationId}`;
    expect(await (await fetch(url)).json()).toMatchObject({
      data: { messages: [{ message: { content: "Hi «ä»." } }, { message: { content: "Hello." } }] },
    });
    expect((await fetch(url, { method: "DELETE" })).status).toBe(200);
    expect((await fetch(url)).status).toBe(404);
  });

  it("streams the events of a turn", async () => {
    const { client } = await mount(framework);
    const types: string[] = [];
    for await (const { event } of client.chat({ message: "Hi." })) types.push(event.type);
    expect(types).toEqual(expect.arrayContaining(["turn_start", "message"]));
    expect(types.at(-1)).toBe("turn_end");
  });

  it("refuses a body that is too large, isn't valid or is nested too deeply", async () => {
    const { post } = await mount(framework, { limits: { bodyBytes: 90_000 } });
    expect((await post("/chat", JSON.stringify({ message: "x".repeat(95_000) }))).status).toBe(413);
    expect((await post("/chat", '{ "message": ')).status).toBe(400);
    const deep = `{ "message": ${"[".repeat(40_000)}${"]".repeat(40_000)} }`;
    const refused = await post("/chat", deep);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { message: "The body is nested too deeply." } });
    expect((await post("/chat", JSON.stringify({ message: "Hi." }))).status).toBe(200);
  });

  it("answers 404 for a path that it doesn't have", async () => {
    const { baseUrl } = await mount(framework);
    const response = await fetch(`${baseUrl}/nothing`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not-found" } });
  });
});

describe("a server behind a handler that keeps nothing of the body", () => {
  it("fails, and says so in the log", async () => {
    const logged: unknown[] = [];
    const start = (app: ServerApp) =>
      serve(async (request, response) => {
        for await (const _ of request);
        await app.nodeHandler(request, response);
      });
    const { post, baseUrl } = await mount(
      { keepsPath: true, start },
      { onError: (error) => logged.push(error) },
    );
    expect((await post("/chat", JSON.stringify({ message: "Hi." }))).status).toBe(500);
    expect(logged).toMatchObject([{ message: expect.stringContaining("Mount JAF's server before it") }]);
    expect((await fetch(`${baseUrl}/agents`)).status).toBe(200);
  });
});

describe("basePath", () => {
  it.each(["jaf", "/jaf/", "/", "/a?b"])("%j is refused", async (basePath) => {
    const start = () => Promise.resolve("");
    await expect(mount({ start }, { basePath })).rejects.toThrow(/basePath: expected a path/);
  });
});
