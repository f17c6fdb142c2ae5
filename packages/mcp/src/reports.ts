import { callSafely, warn } from "@jaf/memory/internal";

/** Something wrong with a server or one of its tools. The rest works. Messages hold no arguments and no results. */
export interface McpWarning {
  readonly type: /** The server can't be reached, or the connection was lost. The next call connects again. */
    | "disconnected"
    /** The user must log in; see `McpServers.finishAuth`. */
    | "unauthorized"
    /** A tool was left out. */
    | "tool_left_out"
    /** The list of tools couldn't be read again; the earlier one stays. */
    | "list_failed";
  readonly server: string;
  /** The tool's name at the server, cut to 128 characters. */
  readonly tool?: string;
  readonly message: string;
}

/** The progress of a running tool call, as the server reports it. */
export interface McpProgress {
  readonly server: string;
  /** The tool's name at the server. */
  readonly tool: string;
  /** The model's id for the call; see `ToolCallInfo.toolCallId`. Absent outside of runs. */
  readonly toolCallId?: string;
  /** How far the call has got. It rises with each report. */
  readonly progress: number;
  /** What `progress` is at the end, if the server knows that. */
  readonly total?: number;
  /** A text of the server, cut to 500 characters. It is untrusted. */
  readonly message?: string;
}

/** A question that a server asks the user. Its text and schema are untrusted. */
export interface McpQuestion {
  readonly server: string;
  readonly message: string;
  /** The JSON Schema of the answer: an object with flat fields. */
  readonly requestedSchema: Readonly<Record<string, unknown>>;
  /** Aborted when the server no longer waits. */
  readonly signal: AbortSignal;
}

/** The user's answer. Fields that `content` lacks get the defaults of the schema. */
export type McpAnswer =
  | {
      readonly action: "accept";
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: "decline" | "cancel" };

/** Asks the user. If it throws, the server is told that asking failed. */
export type McpElicit = (question: McpQuestion) => Promise<McpAnswer>;

const WARNING = "JAFMcpWarning";

/** Reports a warning to the application. Never throws. */
export function report(onWarning: ((warning: McpWarning) => void) | undefined, warning: McpWarning): void {
  const { server, tool, message } = warning;
  const text = `MCP server "${server}"${tool === undefined ? "" : `, tool ${JSON.stringify(tool)}`}: ${message}`;
  if (onWarning === undefined) warn(text, { type: WARNING });
  else
    callSafely(
      () => onWarning(warning),
      () => warn(`onWarning failed. ${text}`, { type: WARNING }),
    );
}
