import type { RichToolCall, ToolCall } from "./message.ts";

/** What a call asks for, whichever kind it is. */
export interface CalledTool {
  readonly name: string;
  /** As the model wrote it: JSON text, or, of a custom tool, any text. */
  readonly input: string;
}

export function calledTool(call: ToolCall | RichToolCall): CalledTool {
  if (call.type === "custom") return { name: call.custom.name, input: call.custom.input };
  return { name: call.function.name, input: call.function.arguments };
}
