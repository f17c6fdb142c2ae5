import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a server of the protocol before March 2025: answers come over one stream of server-sent events. */
export async function startSseServer(): Promise<string> {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    if (request.url !== "/messages") {
      response.writeHead(405).end();
      return;
    }
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(202).end();
      const { id, method } = JSON.parse(body);
      const result = answers[method];
      if (id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
}

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2024-11-05",
    serverInfo: { name: "old", version: "1" },
    capabilities: { tools: {} },
  },
  "tools/list": { tools: [{ name: "old", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "from of old" }] },
};
