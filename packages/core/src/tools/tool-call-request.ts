import type { ToolReturn } from "./create-tool.ts";
import type { ToolCallInfo } from "./tool.ts";

/** The fields of a tool call that a middleware may change. */
export interface ToolCallChanges {
  /** Parsed arguments. They aren't parsed again, and whoever approved the call hasn't seen them. */
  readonly args: unknown;
}

/** A tool call as a middleware sees it. */
export interface ToolCallRequest<Ctx> extends ToolCallInfo {
  readonly toolName: string;
  /** The parsed arguments that the tool would get. */
  readonly args: unknown;
  readonly context: Readonly<Ctx>;
}

/** Calls the next middleware, or the tool. */
export type NextToolCall = (changes?: ToolCallChanges) => Promise<ToolReturn>;

/** See `Middleware.wrapToolCall`. */
export type WrapToolCall<Ctx> = (
  request: ToolCallRequest<Ctx>,
  next: NextToolCall,
) => Promise<ToolReturn> | ToolReturn;
