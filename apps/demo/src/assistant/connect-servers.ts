import { readFile } from "node:fs/promises";
import { connectMcpServers, type McpServer, type McpServers } from "@jaf/mcp";
import { Failure } from "../exit.ts";

export interface ConnectedServers extends Pick<McpServers, "tools" | "close"> {
  /** Tells the user which servers are connected. */
  readonly notice: string;
}

/**
 * Connects to the MCP servers that a file names, as JSON: by their names below `mcpServers`. Throws a {@link Failure} if
 * the file can't be used.
 */
export async function connectServers(file: string): Promise<ConnectedServers> {
  try {
    const { mcpServers } = JSON.parse(await readFile(file, "utf8")) as {
      readonly mcpServers: Readonly<Record<string, McpServer>>;
    };
    const servers = await connectMcpServers(mcpServers);
    const states = Object.entries(servers.status()).map(([name, { state, tools }]) =>
      state === "connected" ? `${name} (${tools} tools)` : `${name} (${state})`,
    );
    return {
      get tools() {
        return servers.tools;
      },
      close: servers.close,
      notice: `MCP servers: ${states.join(", ")}. A tool that isn't known to be harmless asks you first.`,
    };
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new Failure(`The file of --mcp, ${file}, can't be used: ${thrown.message}`, 2);
  }
}
