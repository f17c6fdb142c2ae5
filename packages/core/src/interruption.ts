import type { ApprovalDecision } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { ToolParts } from "./content-parts.ts";
import type { ToolResult } from "./tools/result.ts";

/** A tool call that an interrupted run waits for: it needs an approval, or the client runs it. */
export type Interruption = ApprovalRequest | ClientToolCall;

interface InterruptedCall {
  /** The model's id for the call. */
  readonly toolCallId: string;
  /** The name of the tool. */
  readonly toolName: string;
  /** A frozen copy of the parsed arguments. The call will run with these arguments. */
  readonly args: unknown;
  /** The arguments as the model wrote them: JSON text, or free text if the tool's input isn't JSON. */
  readonly arguments: string;
  /** The registry key of the agent that made the call. */
  readonly agentName: string;
}

/** A tool call that runs only after a user has approved it; see {@link approve} and {@link reject}. */
export interface ApprovalRequest extends InterruptedCall {
  readonly type: "approval";
  /**
   * Identifies this call of this conversation with these parsed arguments. A decision with this id is valid only once.
   * If the tool's schema has changed and parses the call to different arguments, the decision is rejected. The id isn't
   * a secret: the application must check who is allowed to decide.
   */
  readonly approvalId: string;
  /** The time after which decisions about the call are rejected. Absent: there is no time limit. */
  readonly expiresAt?: Date;
  /**
   * What has changed since the approval was first requested. Show it: a decision about the earlier request doesn't
   * count. Absent: nothing has changed, or the call runs as it was shown (see `RunConfig.onToolChange`).
   */
  readonly changed?: CallChanges;
}

/** A text before and after a change. Absent: it isn't known, it has more than 4,000 UTF-16 units, or there is none. */
export interface TextChange {
  readonly before?: string;
  readonly after?: string;
}

/** What has changed about a call since its approval was requested. Absent fields haven't changed. */
export interface CallChanges {
  /** The registry key of the agent that made the call. */
  readonly agent?: TextChange;
  /** The description of the tool. */
  readonly description?: TextChange;
  /** The parameters of the tool, as JSON Schema without defaults. */
  readonly parameters?: TextChange;
  /** The parsed arguments, as JSON. Without `after`, the schema no longer accepts the arguments. */
  readonly arguments?: TextChange;
  /** Present if a newer release of JAF stored the call, and this release can't tell what has changed. */
  readonly isUnknown?: true;
}

/** A call whose tool or agent has changed while it waited for an approval; see `RunConfig.onToolChange`. */
export interface ChangedCall {
  /** The model's id for the call. */
  readonly toolCallId: string;
  /** The name of the tool. */
  readonly toolName: string;
  /** The registry key of the agent that has the conversation. */
  readonly agentName: string;
  /** The name of the model that made the call. Absent: it isn't known. */
  readonly model?: string;
  readonly changed: CallChanges;
}

/** A call of a tool without `execute`. The client runs the tool and sends the result in `RunConfig.resume.toolResults`. */
export interface ClientToolCall extends InterruptedCall {
  readonly type: "client_tool";
}

/** The result of a tool call that the client has run. */
export interface ClientToolResult {
  /** The `toolCallId` of the {@link ClientToolCall}. */
  readonly toolCallId: string;
  /** The call's result. The model gets a string or {@link ToolParts} unchanged, and a {@link ToolResult} as JSON. */
  readonly result: string | ToolResult | ToolParts;
}

/**
 * Returns a decision that approves the call, so it runs. Pass the decision in `RunConfig.resume.approvals`, or as the option
 * `approvals` of a prompt.
 *
 * @example
 * ```ts
 * import { type ApprovalRequest, approve, type RunConfig, type RunState, reject, run } from "@jaf/core";
 *
 * declare const state: RunState<object>;
 * declare const config: RunConfig<object>;
 *
 * export function decide(call: ApprovalRequest, isAllowed: boolean) {
 *   const decision = isAllowed ? approve(call) : reject(call, "Over the limit.");
 *   return run(state, { ...config, resume: { approvals: [decision] } });
 * }
 * ```
 */
export const approve = ({ toolCallId, approvalId }: ApprovalRequest): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: true,
});

/**
 * Returns a decision that rejects the call, so it doesn't run. The model gets the rejection with `reason` as the call's
 * result, and the run continues.
 *
 * @example
 * ```ts
 * import { type AgentClient, type ApprovalRequest, reject } from "@jaf/core";
 *
 * declare const client: AgentClient<string>;
 *
 * export const refuse = (userId: string, conversationId: string, call: ApprovalRequest) =>
 *   client.forUser(userId).continue(conversationId).prompt("", { approvals: [reject(call, "Over the limit.")] });
 * ```
 */
export const reject = ({ toolCallId, approvalId }: ApprovalRequest, reason?: string): ApprovalDecision => ({
  toolCallId,
  approvalId,
  approved: false,
  ...present({ reason }),
});

/** The decisions and tool results that were passed in `RunConfig.resume`. They haven't been checked yet. */
export interface GivenDecisions {
  readonly approvals: readonly ApprovalDecision[];
  readonly toolResults: readonly ClientToolResult[];
}

export const nothingGiven: GivenDecisions = { approvals: [], toolResults: [] };

/** The calls of a reply that wait for a decision, with the data to check decisions about them. */
export interface OpenCalls {
  readonly waiting: readonly Interruption[];
  /**
   * The bindings of the calls that were approved in an earlier run. A binding is a digest of a call and its arguments.
   */
  readonly approved: readonly string[];
  /** The binding of each call, by call id. Calls whose arguments have no canonical JSON are left out. */
  readonly bindings: ReadonlyMap<string, string>;
  /**
   * Returns the beginning of a call's approval id, which doesn't depend on the call's arguments. Returns `undefined` if
   * the reply has no call with this id.
   */
  readonly approvalIdPrefix: (toolCallId: string) => string | undefined;
  /** The open calls of the inner runs of agent tools (see `asTool`), by the id of the outer call. */
  readonly inner: ReadonlyMap<string, OpenCalls>;
}

export const isUndecided = ({ approvals, toolResults }: GivenDecisions): boolean =>
  approvals.length === 0 && toolResults.length === 0;
