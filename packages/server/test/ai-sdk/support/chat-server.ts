import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import { aiSdkRoutes } from "../../../src/routes/ai-sdk.ts";
import type { TurnService } from "../../../src/turns/turn-service.ts";
import type { World } from "../../turns/support/turn-fixtures.ts";

/** Serves the chat of the AI SDK; the header `user` says who asks. Returns where. */
export async function startChatServer({ log, provider }: World, turns: TurnService): Promise<string> {
  const app = new Hono();
  app.route(
    "/ai-sdk/chat",
    aiSdkRoutes({
      ...{ log, provider, turns, defaultAgent: "clerk" },
      identityOf: (context) => ({ userId: context.req.header("user") ?? "ada" }),
      refuse: (context, problem) => {
        if (problem.kind === "invalid") return context.json({ error: problem.message }, 400);
        if (problem.kind === "store") return context.json({ error: problem.error.message }, 503);
        return context.json({ error: problem.refusal.reason }, 409);
      },
    }),
  );
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ai-sdk/chat`;
}
