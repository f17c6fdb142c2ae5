import type { ContentPart, Message, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, messageText } from "@jaf/memory/internal";
import { isToolParts, storableParts, type ToolParts } from "../content-parts.ts";
import { frozenCopy } from "../immutable/copy.ts";
import type { RunScope } from "../run-scope.ts";
import { withThrown } from "../thrown.ts";
import { isToolResult, ToolErrorCodes, ToolResponse, type ToolResultStatus } from "../tools/result.ts";
import type { ToolReturn } from "../tools/tool.ts";
import { decodeCall } from "./arguments.ts";

export interface Answer {
  readonly status: ToolResultStatus;
  readonly content: ToolContent;
  readonly failure?: ToolFailure;
}

/** Why a tool call failed, other than by the model's input. */
export interface ToolFailure {
  /** The text for the model. Secrets are masked in it. */
  readonly text: string;
  /**
   * The value that the tool, a hook or `Tool.needsApproval` threw, or the error of an exceeded time limit. Absent:
   * nothing was thrown.
   */
  readonly thrown?: unknown;
}

/** The content of a tool message: content parts if the tool returned parts, else a text. */
export type ToolContent = string | readonly ContentPart[];

export function toolMessage(call: RichToolCall, content: ToolContent): Message {
  if (typeof content === "string") return Object.freeze({ role: "tool", content, tool_call_id: call.id });
  const message: RichMessage = Object.freeze({ role: "tool", content, tool_call_id: call.id });
  // The content parts were checked in `toAnswer`.
  return message as Message;
}

/**
 * Converts a tool's return value into the answer to the tool call. Strings and content parts stay as they are; other
 * values become JSON.
 */
export function toAnswer(value: ToolReturn): Answer {
  if (typeof value === "string") return { status: "success", content: value };
  const parts = toolPartsIn(value);
  if (parts !== undefined) return partsAnswer(parts);
  const content = toJson(value);
  if (content !== undefined) return { status: isToolResult(value) ? value.status : "success", content };
  const message = "The tool returned something that can't be written as JSON.";
  return toAnswer(ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, message));
}

/** Returns the content parts of a tool's result; `undefined` if the result has none. */
export function toolPartsIn(answer: unknown): ToolParts | undefined {
  const value = isToolResult(answer) && answer.status === "success" ? answer.data : answer;
  return isToolParts(value) ? value : undefined;
}

function partsAnswer(value: ToolParts): Answer {
  const content = storableParts(value);
  if (content !== undefined) return { status: "success", content };
  const message = "The tool returned parts that hold something other than data.";
  return toAnswer(ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, message));
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, refuseCollection);
  } catch {
    return undefined;
  }
}

/** Throws for Maps and Sets. JSON writes them as `{}`, and the model would take `{}` for the result. */
function refuseCollection(_key: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set)
    throw new TypeError("a Map or a Set can't be written as JSON");
  return value;
}

/** Returns functions that emit `tool_call_start` and `tool_call_end`; `undefined` if the run has no observer. */
export function traceToolCall<Ctx>({ emit }: RunScope<Ctx>, call: RichToolCall) {
  if (emit === undefined) return undefined;
  const { id } = call;
  const { name } = calledTool(call);
  let startedAt = 0;
  return {
    start: (args: unknown): void => {
      const data = { toolName: name, args: copyOf(args, call), toolCallId: id };
      emit({ type: "tool_call_start", data });
      startedAt = performance.now();
    },
    end: ({ status, content, failure }: Answer): void => {
      const durationMs = performance.now() - startedAt;
      const shown =
        typeof content === "string"
          ? { result: content }
          : { result: messageText({ role: "tool", content }), parts: frozenCopy(content) };
      const data = { toolName: name, toolCallId: id, status, durationMs, ...shown };
      emit({ type: "tool_call_end", data: withThrown(data, failure?.thrown) });
    },
  };
}

/**
 * Returns a copy of the tool's arguments for an observer. If they can't be copied, returns the arguments as the model
 * wrote them.
 */
function copyOf(args: unknown, call: RichToolCall): unknown {
  try {
    return structuredClone(args);
  } catch {
    return decodeCall(call).args;
  }
}
