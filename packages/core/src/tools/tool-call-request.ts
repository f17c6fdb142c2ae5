import type { ToolReturn } from "./create-tool.ts";
import type { ToolCallInfo } from "./tool.ts";

/** What of a tool call a middleware may change. */
export interface ToolCallChanges {
  /** As the tool's `parameters` parse them: they aren't parsed again, and nobody who approved the call has seen them. */
  readonly args: unknown;
}

/** A tool call as a middleware sees it. */
export interface ToolCallRequest<Ctx> extends ToolCallInfo {
  readonly toolName: string;
  /** Parsed: what the tool would get. */
  readonly args: unknown;
  readonly context: Readonly<Ctx>;
}

/** Runs the tool, or the next middleware. */
export type NextToolCall = (changes?: ToolCallChanges) => Promise<ToolReturn>;

/** See `Middleware.wrapToolCall`. */
export type WrapToolCall<Ctx> = (
  request: ToolCallRequest<Ctx>,
  next: NextToolCall,
) => Promise<ToolReturn> | ToolReturn;
