import type { ApprovalDecision } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { ToolParts } from "./content-parts.ts";
import type { ToolResult } from "./tools/result.ts";

/** A tool call that an interrupted run waits for. */
export type Interruption = ApprovalRequest | ClientToolCall;

interface InterruptedCall {
  /** The model's id for the call. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** A frozen copy of the parsed arguments with which the call will run. */
  readonly args: unknown;
  /** The arguments as the model wrote them: JSON text, or the input of a custom call. */
  readonly arguments: string;
  /** The registry key of the agent that called. */
  readonly agentName: string;
}

/** A call that runs once it is approved: see {@link approve} and {@link reject}. */
export interface ApprovalRequest extends InterruptedCall {
  readonly type: "approval";
  /**
   * Identifies this call of this conversation with these parsed arguments: a decision with this id counts for nothing else, and
   * only once. If the tool's schema parses the call to other arguments by then, the decision is rejected. The id is no secret:
   * the application has to check who may decide.
   */
  readonly approvalId: string;
  /** After this time decisions are rejected. Absent: they don't expire. */
  readonly expiresAt?: Date;
}

/** A call of a tool without `execute`: the client runs it and sends its result, as `RunConfig.resume.toolResults`. */
export interface ClientToolCall extends InterruptedCall {
  readonly type: "client_tool";
}

/** The result of a call that the client has run. */
export interface ClientToolResult {
  readonly toolCallId: string;
  /** The model gets a string or {@link ToolParts} unchanged, a {@link ToolResult} as JSON. */
  readonly result: string | ToolResult | ToolParts;
}

/** A decision that lets the call run. */
export const approve = ({ toolCallId, approvalId }: ApprovalRequest): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: true,
});

/** A decision that the call never runs. The model gets a result that says so, with `reason`, and the run goes on. */
export const reject = ({ toolCallId, approvalId }: ApprovalRequest, reason?: string): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: false,
  ...present({ reason }),
});

/** What somebody decided about waiting calls, as it came in. */
export interface GivenDecisions {
  readonly approvals: readonly ApprovalDecision[];
  readonly toolResults: readonly ClientToolResult[];
}

export const isUndecided = ({ approvals, toolResults }: GivenDecisions): boolean =>
  approvals.length === 0 && toolResults.length === 0;
