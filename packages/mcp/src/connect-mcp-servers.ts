import { callSafely, checkRelease, warn } from "@jaf/memory/internal";
import { type McpOptions, type McpServer, parseMcpOptions, parseServers } from "./options.ts";
import { type ConnectedServer, createServer, type McpServerStatus } from "./server.ts";
import type { McpTool } from "./tools/source.ts";

/** Connected MCP servers. */
export interface McpServers {
  /**
   * The tools of all servers, as a frozen list. When a server changes its tools, this becomes another list; the earlier
   * one stays as it is. A tool that its server withdraws stays in the list and answers with an error, because a stored
   * turn can wait for it.
   */
  readonly tools: readonly McpTool[];
  /** How each server is doing, by its name. */
  readonly status: () => Readonly<Record<string, McpServerStatus>>;
  /** Calls `listener` after `tools` has become another list. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void;
  /** Connects to servers that can't be reached so far, and reads all lists again. Never rejects. */
  readonly refresh: () => Promise<void>;
  /**
   * Finishes a login in the browser: pass the query parameters of the address that the login came back to. Rejects with
   * the error of the login, and with a `TypeError` if there is no such server or it takes no login.
   */
  readonly finishAuth: (server: string, callbackParams: URLSearchParams) => Promise<void>;
  /** Closes all connections and ends all child processes, within seconds. Calls under way fail. Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Connects to MCP servers and returns their tools for agents of `@jaf/core`. A tool's name is `<server>__<tool>`.
 *
 * A server that can't be reached doesn't fail the call: the others' tools work, `onWarning` is told, and `refresh` tries
 * again.
 *
 * Throws a `TypeError` for invalid servers or options.
 *
 * @example
 * ```ts
 * import type { Agent } from "@jaf/core";
 * import { connectMcpServers } from "@jaf/mcp";
 *
 * const servers = await connectMcpServers({
 *   files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "./shared"], trusted: true },
 *   crm: { url: "https://mcp.example.com", authProvider: { token: async () => "key" } },
 * });
 * export const agent: Agent<object, string> = {
 *   name: "helper",
 *   instructions: "Help with the files.",
 *   tools: servers.tools,
 * };
 * ```
 */
export async function connectMcpServers(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = {},
): Promise<McpServers> {
  checkRelease(globalThis.JAF_RELEASE);
  const parsedOptions = parseMcpOptions(options);
  const listeners = new Set<() => void>();
  let tools: readonly McpTool[] = Object.freeze([]);

  const all = new Map<string, ConnectedServer>();
  for (const [name, server] of Object.entries(parseServers(servers)))
    all.set(name, createServer({ name, server, options: parsedOptions, onChanged }));

  function onChanged(): void {
    const next = [...all.values()].flatMap((server) => server.tools());
    if (next.length === tools.length && next.every((tool, index) => isSame(tool, tools[index]))) return;
    tools = Object.freeze(next);
    for (const listener of listeners)
      callSafely(listener, () => warn("A listener of onChange failed.", { type: "JAFMcpWarning" }));
  }

  const refresh = async (): Promise<void> => {
    await Promise.all(Array.from(all.values(), (server) => server.refresh()));
  };

  await refresh();
  return Object.freeze({
    get tools() {
      return tools;
    },
    status: () => Object.fromEntries(Array.from(all, ([name, server]) => [name, server.status()])),
    onChange: (listener: () => void) => {
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    refresh,
    finishAuth: async (name: string, callbackParams: URLSearchParams) => {
      const server = all.get(name);
      if (server === undefined) throw new TypeError(`finishAuth: there is no server "${name}".`);
      await server.finishAuth(callbackParams);
    },
    close: async () => {
      await Promise.all(Array.from(all.values(), (server) => server.close()));
    },
  });
}

/** Withdrawn tools are new objects each time. */
const isSame = (tool: McpTool, other: McpTool | undefined): boolean =>
  tool.execute === other?.execute && tool.schema.description === other.schema.description;
