import { type ConnectionState, createConnection } from "./connection/connection.ts";
import type { ParsedOptions, ParsedServer } from "./options.ts";
import { report } from "./reports.ts";
import { addedTools } from "./tools/added-tools.ts";
import { createCatalog } from "./tools/catalog.ts";
import { listTools } from "./tools/definition.ts";
import type { McpTool, ToolSource } from "./tools/source.ts";

/** How one server is doing. */
export interface McpServerStatus {
  /**
   * As of the last request. `"disconnected"`: the server can't be reached, and the next call connects again;
   * `"unauthorized"`: the user must log in (see `McpServers.finishAuth`).
   */
  readonly state: ConnectionState;
  /** How many of its own tools the server offers. */
  readonly tools: number;
  /** The version of the protocol that was agreed on, e.g. `"2026-07-28"`. Absent: not connected. */
  readonly protocolVersion?: string;
}

/** One server with its tools. */
export interface ConnectedServer {
  readonly tools: () => readonly McpTool[];
  readonly status: () => McpServerStatus;
  /** Connects if need be, and reads the list of tools. Never rejects: failures are reported as warnings. */
  readonly refresh: () => Promise<void>;
  readonly finishAuth: (callbackParams: URLSearchParams) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ServerSource {
  readonly name: string;
  readonly server: ParsedServer;
  readonly options: ParsedOptions;
  readonly onChanged: () => void;
}

export function createServer({ name, server, options, onChanged }: ServerSource): ConnectedServer {
  const refreshInBackground = () => void refresh();
  const connection = createConnection({
    ...{ name, server, options },
    onListChanged: refreshInBackground,
    onReconnected: refreshInBackground,
  });
  const source: ToolSource = { name, server, options, connection };
  const catalog = createCatalog(source);
  /** Kept when the connection is lost, as a stored turn may wait for one of them. */
  let added: readonly McpTool[] | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;

  async function read(): Promise<void> {
    try {
      const listed = await connection.use(
        async (client) => {
          const { definitions, broken } = await listTools(client, options.connectMs);
          added ??= nonEmpty(addedTools(source, client.getServerCapabilities()));
          return { definitions, broken };
        },
        { repeatable: true },
      );
      catalog.update(listed);
      onChanged();
    } catch {
      const state = connection.state();
      // Otherwise the connection has reported it.
      if (state === "connected")
        report(options.onWarning, {
          type: "list_failed",
          server: name,
          message: "its tools can't be listed",
        });
    }
  }

  /** At most one list is read at a time, and at most one more afterwards, however often the server changes it. */
  async function refresh(): Promise<void> {
    isStale = true;
    reading ??= (async () => {
      while (isStale) {
        isStale = false;
        await read();
      }
    })().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  return {
    tools: () => [...catalog.tools(), ...(added ?? [])],
    status: () => {
      const protocolVersion = connection.client()?.getNegotiatedProtocolVersion();
      return Object.freeze({
        ...{ state: connection.state(), tools: catalog.offered() },
        ...(protocolVersion === undefined ? {} : { protocolVersion }),
      });
    },
    refresh,
    finishAuth: async (callbackParams) => {
      await connection.finishAuth(callbackParams);
      await refresh();
    },
    close: connection.close,
  };
}

const nonEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
