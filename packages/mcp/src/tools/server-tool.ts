import { createTool, type ToolCallInfo, ToolErrorCodes, ToolResponse, type ToolReturn } from "@jaf/core";
import { callSafely, present } from "@jaf/memory/internal";
import type { Progress } from "@modelcontextprotocol/client";
import type * as z from "zod";
import { failedResult, failureOf } from "../connection/failure.ts";
import { toolReturnOf } from "../results/convert.ts";
import { cutText } from "../results/text.ts";
import type { ToolDefinition } from "./definition.ts";
import { toolName } from "./names.ts";
import type { Args } from "./schema.ts";
import { type McpTool, safetyOf, type ToolSource } from "./source.ts";

export interface ServerTool {
  readonly definition: ToolDefinition;
  readonly parameters: z.ZodType<Args>;
  /** Whether the server still offers the tool. Read at each call, since agents keep the tools that they were made with. */
  readonly isOffered: () => boolean;
}

const GONE = ToolResponse.error(
  ToolErrorCodes.TOOL_NOT_FOUND,
  "The server doesn't offer this tool any more, and nothing was done.",
  { retryable: false },
);

/** Makes a tool of an agent from a tool of a server. */
export function createServerTool(source: ToolSource, tool: ServerTool): McpTool {
  const { name, options } = source;
  const { definition, parameters, isOffered } = tool;
  const { description = "", annotations = {} } = definition;
  return createTool({
    name: toolName(name, definition.name),
    description: describe(description, options.descriptionBytes),
    parameters,
    ...safetyOf(source, definition.name, {
      readOnly: annotations.readOnlyHint === true,
      idempotent: annotations.idempotentHint === true,
      destructive: annotations.destructiveHint !== false,
    }),
    // With the time for connecting twice, as a call does if the first connection is lost.
    timeoutMs: options.callMs + 2 * options.connectMs,
    execute: async (args, _context, call) => (isOffered() ? callServer(source, tool, { args, call }) : GONE),
  });
}

/** Marks a tool that its server no longer offers. Its name stays known, since stored calls can wait for it. */
export const withdrawn = (tool: McpTool): McpTool => ({
  ...tool,
  schema: { ...tool.schema, description: `Not available now. ${tool.schema.description}` },
});

export function describe(description: string, maxBytes: number): string {
  const { text, cut } = cutText(description, maxBytes);
  return cut === 0 ? text : `${text} […]`;
}

interface ServerCall {
  readonly args: Args;
  readonly call: ToolCallInfo | undefined;
}

async function callServer(
  source: ToolSource,
  { definition }: ServerTool,
  { args, call }: ServerCall,
): Promise<ToolReturn> {
  const { name, options, connection } = source;
  const signal = call?.signal;
  // Results are untrusted in any case, and a server's own schema of them would be code to run.
  const { outputSchema: _, ...toolDefinition } = definition;
  try {
    const result = await connection.use(
      (client) =>
        client.callTool(
          { name: definition.name, arguments: { ...args } },
          {
            ...present({ signal, onprogress: progressReport(source, definition.name, call) }),
            ...{ timeout: options.callMs, maxTotalTimeout: options.callMs, toolDefinition },
          },
        ),
      { repeatable: isRepeatable(source, definition), signal },
    );
    return toolReturnOf(result, name, options);
  } catch (thrown) {
    signal?.throwIfAborted();
    return failedResult(failureOf(thrown));
  }
}

const isRepeatable = ({ server }: ToolSource, { annotations = {} }: ToolDefinition): boolean =>
  server.trusted && (annotations.readOnlyHint === true || annotations.idempotentHint === true);

const MESSAGE_BYTES = 500;

function progressReport({ name, options: { onProgress } }: ToolSource, tool: string, call?: ToolCallInfo) {
  if (onProgress === undefined) return undefined;
  return ({ progress, total, message }: Progress): void => {
    const said = message === undefined ? undefined : cutText(message, MESSAGE_BYTES).text;
    const optional = present({ toolCallId: call?.toolCallId, total, message: said });
    // A failing observer must not fail the call.
    callSafely(
      () => onProgress({ server: name, tool, progress, ...optional }),
      () => {},
    );
  };
}
