import type { RichToolCall, ToolCall } from "./message.ts";

/** Name and input of a tool call, whichever kind of call it is. */
export interface CalledTool {
  readonly name: string;
  /** As the model wrote it: JSON text, or any text for a custom tool. */
  readonly input: string;
}

export function calledTool(call: ToolCall | RichToolCall): CalledTool {
  if (call.type === "custom") return { name: call.custom.name, input: call.custom.input };
  return { name: call.function.name, input: call.function.arguments };
}
