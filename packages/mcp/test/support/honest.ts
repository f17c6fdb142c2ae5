import { type ServerType, serve } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import * as z from "zod";

function createServer(): McpServer {
  const server = new McpServer({ name: "honest", version: "1.0.0" });
  const readOnly = { annotations: { readOnlyHint: true } };
  const numbers = z.object({ a: z.number(), b: z.number() });
  server.registerTool(
    "add",
    { description: "Adds.", inputSchema: numbers, ...readOnly },
    async ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }),
  );
  server.registerTool("erase", { description: "Erases everything." }, async () => ({
    content: [{ type: "text", text: "erased" }],
  }));
  server.registerTool("count", { description: "Counts slowly." }, async (context) => {
    const { _meta: meta, notify } = context.mcpReq;
    const progressToken = meta?.progressToken;
    for (let progress = 1; progressToken !== undefined && progress <= 3; progress += 1)
      await notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3, message: `step ${progress}` },
      });
    return { content: [{ type: "text", text: "counted" }] };
  });
  server.registerResource("note", "note:///one", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, text: "Buy milk." }],
  }));
  const name = z.object({ name: z.string() });
  server.registerPrompt("greet", { description: "Greets.", argsSchema: name }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

export interface HonestServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** Starts a server of the official package on a free port of loopback. It speaks both generations. */
export async function startHonest(): Promise<HonestServer> {
  const handler = createMcpHandler(createServer);
  let server: ServerType | undefined;
  let port = 0;
  const start = () =>
    new Promise<void>((resolve) => {
      server = serve(
        { fetch: (request) => handler.fetch(request), hostname: "127.0.0.1", port },
        (address) => {
          port = address.port;
          resolve();
        },
      );
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      if (server === undefined) return resolve();
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close(() => resolve());
    });
  await start();
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}/mcp`, start, stop };
}
