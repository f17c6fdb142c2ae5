import { createTool, type SchemaOutput, type ToolCallInfo, type ToolReturn } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import type { Client, RequestOptions, ServerCapabilities } from "@modelcontextprotocol/client";
import * as z from "zod";
import { failedResult, failureOf } from "../connection/failure.ts";
import { boundedReturn, type Piece, pieceOf, resourcePiece } from "../results/convert.ts";
import { type AddedTool, addedToolName } from "./names.ts";
import { type McpTool, safetyOf, type ToolSource } from "./source.ts";

/** The tools that list and read what a server has besides tools, if it has it and the application wants it. */
export function addedTools(
  source: ToolSource,
  capabilities: ServerCapabilities | undefined,
): readonly McpTool[] {
  const { name, server } = source;
  return [
    ...(server.resources && capabilities?.resources !== undefined ? resourceTools(source, name) : []),
    ...(server.prompts && capabilities?.prompts !== undefined ? promptTools(source, name) : []),
  ];
}

const nothing = z.object({});

const resourceTools = (source: ToolSource, server: string): readonly McpTool[] => [
  addedTool(source, {
    tool: "list_resources",
    description: `Lists the resources of the MCP server "${server}": addresses, and templates of addresses.`,
    parameters: nothing,
    read: async (client, _args, options) => {
      const { resources } = await client.listResources(undefined, options);
      const { resourceTemplates } = await client.listResourceTemplates(undefined, options);
      return [
        ...resources.map(({ uri, name, mimeType, description }) => line(uri, name, mimeType, description)),
        ...resourceTemplates.map(({ uriTemplate, name, mimeType, description }) =>
          line(`Template: ${uriTemplate}`, name, mimeType, description),
        ),
      ];
    },
  }),
  addedTool(source, {
    tool: "read_resource",
    description: `Reads a resource of the MCP server "${server}" by its address.`,
    parameters: z.object({ uri: z.string().min(1).max(2_000) }),
    read: async (client, { uri }, options) =>
      (await client.readResource({ uri }, options)).contents.map(resourcePiece),
  }),
];

const promptTools = (source: ToolSource, server: string): readonly McpTool[] => [
  addedTool(source, {
    tool: "list_prompts",
    description: `Lists the prompts of the MCP server "${server}" with their arguments.`,
    parameters: nothing,
    read: async (client, _args, options) =>
      (await client.listPrompts(undefined, options)).prompts.map(
        ({ name, description, arguments: fields = [] }) =>
          line(name, description, ...fields.map((field) => `${field.name}${field.required ? "" : "?"}`)),
      ),
  }),
  addedTool(source, {
    tool: "get_prompt",
    description: `Fills in a prompt of the MCP server "${server}" and returns its messages.`,
    parameters: z.object({
      name: z.string().min(1).max(200),
      arguments: z.record(z.string(), z.string()).optional(),
    }),
    read: async (client, { name, arguments: filled }, options) => {
      const { messages } = await client.getPrompt({ name, ...present({ arguments: filled }) }, options);
      return messages.flatMap(({ role, content }) => [{ text: `${role}:` }, pieceOf(content)]);
    },
  }),
];

const line = (...fields: readonly (string | undefined)[]): Piece => ({
  text: `- ${fields.filter((field) => field !== undefined && field !== "").join(" | ")}`,
});

interface AddedToolDefinition<Schema extends z.ZodType> {
  readonly tool: AddedTool;
  readonly description: string;
  readonly parameters: Schema;
  readonly read: (
    client: Client,
    args: SchemaOutput<Schema>,
    options: RequestOptions,
  ) => Promise<readonly Piece[]>;
}

function addedTool<Schema extends z.ZodType>(
  source: ToolSource,
  { tool, description, parameters, read }: AddedToolDefinition<Schema>,
): McpTool {
  const { name, options, connection, server } = source;
  const execute = async (
    args: SchemaOutput<Schema>,
    _context: unknown,
    call?: ToolCallInfo,
  ): Promise<ToolReturn> => {
    const signal = call?.signal;
    const { callMs } = options;
    try {
      const pieces = await connection.use(
        (client) => read(client, args, { timeout: callMs, maxTotalTimeout: callMs, ...present({ signal }) }),
        { repeatable: server.trusted, signal },
      );
      return boundedReturn(pieces, name, options);
    } catch (thrown) {
      signal?.throwIfAborted();
      return failedResult(failureOf(thrown));
    }
  };
  return createTool({
    name: addedToolName(name, tool),
    ...{ description, parameters, execute },
    // The protocol has these operations for reading.
    ...safetyOf(source, tool, { readOnly: true, idempotent: true, destructive: false }),
    timeoutMs: options.callMs + 2 * options.connectMs,
  });
}
