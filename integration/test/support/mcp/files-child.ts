/** An MCP server over stdio with two tools, one of them read-only. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.registerTool("list", { annotations: { readOnlyHint: true } }, async () => ({
    content: [{ type: "text", text: "plan.txt" }],
  }));
  server.registerTool("write", { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: "text", text: `wrote ${text}` }],
  }));
  return server;
});
