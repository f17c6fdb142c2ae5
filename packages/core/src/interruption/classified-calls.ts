import type { RichToolCall } from "@jaf/memory";
import type { RunnableCall } from "../tools/execute-call.ts";
import type { ToolResult } from "../tools/result.ts";
import { isClientTool, type Tool } from "../tools/tool.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import type { JudgedArguments } from "./bound-arguments.ts";
import type { Decisions } from "./decisions.ts";
import type { Interruption } from "./interruption.ts";
import type { PendingApprovals } from "./pending-approvals.ts";

/** The calls of a reply, by what happens to them. */
export interface ClassifiedCalls<Ctx> {
  readonly run: readonly RunnableCall<Ctx>[];
  /** Answered without a tool of ours: by the client, or by somebody's refusal. */
  readonly answered: readonly AnsweredCall[];
  readonly waiting: readonly Interruption[];
  /** The arguments of all calls that may wait. */
  readonly judged: JudgedCalls;
}

export type JudgedCalls = ReadonlyMap<RichToolCall, JudgedArguments>;

export interface AnsweredCall {
  readonly call: RichToolCall;
  readonly result: string | ToolResult | ToolParts;
  /** The message of what the tool's own `needsApproval` threw. */
  readonly thrown?: string;
}

export interface ClassifyOptions {
  readonly decisions: Decisions;
  readonly waiting: PendingApprovals;
  /** Arguments that were judged before, so that what was decided about is what runs. */
  readonly judged?: JudgedCalls;
}

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
export type AnyTool<Ctx> = Tool<any, Ctx>;

/** Whether a call of it may have to wait for somebody. */
export const mayWait = <Ctx>(tool: AnyTool<Ctx>): boolean =>
  isClientTool(tool) || (tool.needsApproval !== undefined && tool.needsApproval !== false);
