import type { ApprovalDecision } from "@jaf/memory";
import type { ToolResult } from "../tools/result.ts";
import type { ToolParts } from "../tools/tool-parts.ts";

/** What an interrupted run waits for. */
export type Interruption = ApprovalRequest | ClientToolCall;

interface InterruptedCall {
  /** The model's id for the call. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parsed arguments, a frozen copy: those that run. */
  readonly args: unknown;
  /** The arguments as the model wrote them: JSON text, or the input of a custom call. */
  readonly arguments: string;
  /** The registry key of the agent that called. */
  readonly agentName: string;
}

/** A call that runs once somebody has approved it: see {@link approve} and {@link reject}. */
export interface ApprovalRequest extends InterruptedCall {
  readonly type: "approval";
  /**
   * Stands for this call of this conversation with these parsed arguments: a decision under this id counts for nothing
   * else, and once. Where the tool's schema makes other arguments of the call by then, it is void. It is no secret; who may decide is the application's to check.
   */
  readonly approvalId: string;
  /** No decision counts later. Absent: never. */
  readonly expiresAt?: Date;
}

/** A call of a tool without `execute`: the client runs it and sends its result, as `RunConfig.toolResults`. */
export interface ClientToolCall extends InterruptedCall {
  readonly type: "client_tool";
}

/** The result of a call of a tool that runs at the client. */
export interface ClientToolResult {
  readonly toolCallId: string;
  /** A string or {@link ToolParts} go to the model as they are, a {@link ToolResult} as JSON. */
  readonly result: string | ToolResult | ToolParts;
}

/** Lets the call run. */
export const approve = ({ toolCallId, approvalId }: ApprovalRequest): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: true,
});

/** The call never runs; the model is told so, with `reason`, and goes on. */
export const reject = ({ toolCallId, approvalId }: ApprovalRequest, reason?: string): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: false,
  ...(reason === undefined ? {} : { reason }),
});
