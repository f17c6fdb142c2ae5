import type { ContinuationRejectionCode, ErrorCause, MemoryErrorUnion } from "@jaf/memory";
import type * as z from "zod";
import { isIdentifier } from "./thrown.ts";

/**
 * Why a run ended without an output: a union of errors that differ in `_tag`. Texts that the engine itself writes never quote
 * the conversation. To get a text to show, call `JAFErrorHandler.format`.
 */
export type JAFError =
  | MaxTurnsExceeded
  | BudgetExceeded
  | ModelBehaviorError
  | ModelRefused
  | DecodeError
  | InputGuardrailTripwire
  | OutputGuardrailTripwire
  | ToolCallError
  | HandoffError
  | AgentNotFound
  | ModelCallError
  | RunInterrupted
  | CallOutdated
  | ContinuationRejected
  | RunMemoryError
  | RunAborted
  | InternalError;

/** The run took as many steps as `RunConfig.maxTurns` allows, without a final reply. */
interface MaxTurnsExceeded {
  readonly _tag: "MaxTurnsExceeded";
  /** The number of steps. */
  readonly turns: number;
}

/** The model's reply was unusable (e.g. empty), even after retries. */
interface ModelBehaviorError {
  readonly _tag: "ModelBehaviorError";
  readonly detail: string;
}

/** The final reply doesn't match the agent's `outputCodec`. */
interface DecodeError {
  readonly _tag: "DecodeError";
  /** What doesn't match. The messages can quote the reply, so don't log them. */
  readonly errors: z.ZodIssue[];
}

/** An input guardrail blocked the user's messages. */
interface InputGuardrailTripwire {
  readonly _tag: "InputGuardrailTripwire";
  /**
   * The guardrail's `errorMessage`. If the guardrail threw an error: the error's name and its message, masked as
   * `RunConfig.maskSecrets` says.
   */
  readonly reason: string;
}

/** An output guardrail blocked the final reply. */
interface OutputGuardrailTripwire {
  readonly _tag: "OutputGuardrailTripwire";
  /**
   * The guardrail's `errorMessage`. If the guardrail threw an error: the error's name and its message, masked as
   * `RunConfig.maskSecrets` says.
   */
  readonly reason: string;
}

/** A tool threw an error, and `RunConfig.onToolError` is `"fail"`. */
interface ToolCallError {
  readonly _tag: "ToolCallError";
  /** The name of the tool. */
  readonly tool: string;
  /** The message of the tool's error, masked as `RunConfig.maskSecrets` says. */
  readonly detail: string;
}

/** The model chose an agent for a handoff, but the calling agent's `handoffs` don't include the chosen agent. */
interface HandoffError {
  readonly _tag: "HandoffError";
  readonly detail: string;
}

/** `RunConfig.agentRegistry` has no agent under the registry key `agentName`. */
interface AgentNotFound {
  readonly _tag: "AgentNotFound";
  readonly agentName: string;
}

/**
 * The run couldn't load or store its conversation. `error` says why (e.g. the memory provider failed). If a tool call
 * couldn't be stored, its tool hasn't run.
 */
interface RunMemoryError {
  readonly _tag: "MemoryError";
  readonly error: MemoryErrorUnion;
}

/** `RunConfig.signal` was aborted, or the application left the loop over a run's stream of events. */
interface RunAborted {
  readonly _tag: "RunAborted";
  /** The reason of the abort, as text. */
  readonly reason: string;
}

/**
 * A bug in the program: the configuration is invalid, or code that must not throw (e.g. `Agent.instructions`) threw an
 * error.
 */
interface InternalError {
  readonly _tag: "InternalError";
  readonly detail: string;
  /** The thrown error. Absent if nothing was thrown. */
  readonly cause?: ErrorCause;
}

/**
 * The budget of `RunConfig.budget` is used up, so the run made no further model call. The reply that exceeded the
 * budget is kept. If that reply is final, the run ends as `completed` and without this error.
 */
export interface BudgetExceeded {
  readonly _tag: "BudgetExceeded";
  /**
   * Whose budget is used up: that of the run, of the stored conversation, of the user, of the tenant, or of everyone
   * together.
   */
  readonly of: "run" | "conversation" | "user" | "tenant" | "everyone";
  /** The period of a budget of a user, a tenant or everyone. Absent: the budget has no period. */
  readonly period?: "day" | "month";
  /** The limit that was reached. */
  readonly limit: "maxCost" | "maxTokens";
  /** The limit's value: a number of tokens, or a cost in the currency of `RunConfig.prices`. */
  readonly allowed: number;
  /** The tokens or the cost that have been used so far. */
  readonly spent: number;
}

/**
 * The model refused to answer, and the agent has an `outputCodec`, which can't decode a refusal. The refusal isn't
 * stored.
 */
export interface ModelRefused {
  readonly _tag: "ModelRefused";
  /** The model's own words. They can quote the conversation, so show them to the user but don't log them. */
  readonly refusal: string;
}

/** Tool calls wait for an approval or for the client. This error occurs only with the outcome `interrupted`. */
export interface RunInterrupted {
  readonly _tag: "RunInterrupted";
  /** The number of tool calls that wait. */
  readonly waiting: number;
}

/**
 * A call that waited for an approval can't run as it was shown, so the turn ended and nothing ran. New messages of the
 * user give the call up, and the conversation continues without it.
 */
export interface CallOutdated {
  readonly _tag: "CallOutdated";
  /** The name of the tool. */
  readonly tool: string;
  /** The registry key of the agent that has the conversation. */
  readonly agentName: string;
  /**
   * - `"changed"`: the tool or the agent has changed, and `RunConfig.onToolChange` ends the turn.
   * - `"gone"`: the agent has no such tool any more, or the client now runs the tool.
   */
  readonly reason: "changed" | "gone";
}

/**
 * The client's copy of the history, an approval or a tool result doesn't match the stored conversation. The run used
 * nothing that the client sent.
 */
export interface ContinuationRejected {
  readonly _tag: "ContinuationRejected";
  /**
   * One of `ContinuationRejectionCode`, or:
   *
   * - `"expired-approval"`: a decision came after the approval had expired; see `RunConfig.approvalTtlMs`.
   * - `"changed-arguments"`: the tool's schema no longer parses the call to the arguments that the user was shown.
   * - `"changed-tool"`: the tool or the agent of the call has changed since the user was shown the call.
   * - `"rejected"`: `RunConfig.validate` threw an error other than `ContinuationValidationError`.
   */
  readonly code:
    | ContinuationRejectionCode
    | "expired-approval"
    | "changed-arguments"
    | "changed-tool"
    | "rejected";
  /** A text for the application's log. It quotes no message, unless the error of `RunConfig.validate` quotes one. */
  readonly reason: string;
  /**
   * The index of the rejected message in the list that the client sent. For a code about approvals: the index of the
   * rejected decision. Absent: no single message or decision is to blame.
   */
  readonly index?: number;
}

/**
 * One of two failures:
 *
 * - The model provider threw or timed out. No retry was allowed, or the retries failed, too.
 * - A middleware's `wrapModelCall` threw or timed out. This failure isn't retried.
 */
export interface ModelCallError {
  readonly _tag: "ModelCallError";
  /** The number of model calls that were made. `0` if a middleware failed before the first model call. */
  readonly attempts: number;
  /**
   * `true` if the failure was a network error, a timeout, a rate limit or a server error. In this case, another run can
   * succeed.
   */
  readonly retryable: boolean;
  /** The HTTP status. Absent: the model provider's error has none. */
  readonly status?: number;
  /** How long to wait before a retry, in milliseconds. Absent: the model provider didn't say it. */
  readonly retryAfterMs?: number;
  /**
   * The time limit that the last attempt exceeded, in milliseconds; see `RunConfig.timeouts.modelMs`. Absent: the
   * attempt failed for another reason.
   */
  readonly timeoutMs?: number;
  /** The error that the model provider or the middleware threw. */
  readonly cause: ErrorCause;
}

/** How urgent an error is. `low`: a normal end of a run. `critical`: code, configuration or credentials must change. */
export type ErrorSeverity = "low" | "medium" | "high" | "critical";

/**
 * Formats and classifies a {@link JAFError}. Each function exists as a static method and on instances.
 *
 * @example
 * ```ts
 * import { JAFErrorHandler, type RunResult } from "@jaf/core";
 *
 * declare const result: RunResult<string>;
 *
 * const { outcome } = result;
 * if (outcome.status === "error") {
 *   console.error(JAFErrorHandler.getSeverity(outcome.error), JAFErrorHandler.format(outcome.error));
 * }
 * ```
 */
export class JAFErrorHandler {
  /** Returns one sentence that describes the error, to show or log. */
  static readonly format = format;
  /** Returns whether the same run can succeed when it is retried. */
  static readonly isRetryable = isRetryable;
  /** Returns how urgent the error is. `critical`: code, configuration or credentials must change. */
  static readonly getSeverity = getSeverity;

  /** Returns one sentence that describes the error, to show or log. */
  readonly format = format;
  /** Returns whether the same run can succeed when it is retried. */
  readonly isRetryable = isRetryable;
  /** Returns how urgent the error is. `critical`: code, configuration or credentials must change. */
  readonly getSeverity = getSeverity;
}

const SHOWN_ISSUES = 5;

/** Names the paths and codes of the issues. Messages can quote the reply, and so can keys that the model chose. */
function formatIssues({ errors }: Extract<JAFError, { _tag: "DecodeError" }>): string {
  const shown = errors.slice(0, SHOWN_ISSUES).map(({ path, code }) => {
    const steps = path.map(String).map((step) => (isIdentifier(step) ? step : "?"));
    return `${steps.join(".") || "the whole"} (${code})`;
  });
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : "";
  return `${shown.join("; ")}${more}`;
}

function formatCall({ attempts, status, cause }: ModelCallError): string {
  const times = attempts < 2 ? "" : ` ${attempts} times`;
  return `The model call failed${times}${status === undefined ? "" : ` with status ${status}`}: ${cause.message}`;
}

function formatBudget({ of, period, spent, allowed, limit }: BudgetExceeded): string {
  const whose = of === "everyone" ? "everyone" : `the ${of}`;
  const when = period === undefined ? "" : ` for this ${period}`;
  return `The budget of ${whose}${when} is used up: ${spent} of ${allowed} (${limit}).`;
}

const formatOutdated = ({ tool, agentName, reason }: CallOutdated): string =>
  reason === "gone"
    ? `The tool "${tool}" of the agent "${agentName}" has been removed`
    : `The tool "${tool}" or the agent "${agentName}" has changed`;

function format(error: JAFError): string {
  switch (error._tag) {
    case "MaxTurnsExceeded":
      return `The run was stopped after ${error.turns} steps without a final reply.`;
    case "BudgetExceeded":
      return formatBudget(error);
    case "ModelBehaviorError":
      return `The model behaved unexpectedly: ${error.detail}`;
    case "ModelRefused":
      return "The model refused to answer.";
    case "DecodeError":
      return `The final reply does not match the agent's output: ${formatIssues(error)}`;
    case "InputGuardrailTripwire":
      return `The input was blocked: ${error.reason}`;
    case "OutputGuardrailTripwire":
      return `The output was blocked: ${error.reason}`;
    case "ToolCallError":
      return `The tool "${error.tool}" failed: ${error.detail}`;
    case "HandoffError":
      return `The handoff failed: ${error.detail}`;
    case "AgentNotFound":
      return `No agent "${error.agentName}" is registered.`;
    case "ModelCallError":
      return formatCall(error);
    case "RunInterrupted":
      return `The run waits for an approval or for the client, with ${error.waiting === 1 ? "one tool call" : `${error.waiting} tool calls`}.`;
    case "CallOutdated":
      return `${formatOutdated(error)} since an approval of its call was requested, so the call didn't run. Send a new message to go on without the call.`;
    case "ContinuationRejected":
      return `The continuation was rejected (${error.code}): ${error.reason}`;
    case "MemoryError":
      return error.error.message;
    case "RunAborted":
      return `The run was aborted: ${error.reason}`;
    case "InternalError":
      return `The run failed because of a bug in the program: ${error.detail}${error.cause === undefined ? "" : `: ${error.cause.message}`}`;
  }
}

function isRetryable(error: JAFError): boolean {
  switch (error._tag) {
    case "ModelBehaviorError":
    case "ToolCallError":
      return true;
    case "ModelCallError":
      return error.retryable;
    case "MemoryError":
      return error.error.retryable;
    case "MaxTurnsExceeded":
    case "BudgetExceeded":
    case "ModelRefused":
    case "DecodeError":
    case "InputGuardrailTripwire":
    case "OutputGuardrailTripwire":
    case "HandoffError":
    case "AgentNotFound":
    case "RunAborted":
    case "RunInterrupted":
    case "CallOutdated":
    case "ContinuationRejected":
    case "InternalError":
      return false;
  }
}

function getSeverity(error: JAFError): ErrorSeverity {
  switch (error._tag) {
    case "MaxTurnsExceeded":
    case "BudgetExceeded":
    case "RunAborted":
    case "RunInterrupted":
      return "low";
    case "ModelBehaviorError":
    case "ToolCallError":
      return "medium";
    case "ModelRefused":
    case "DecodeError":
    case "InputGuardrailTripwire":
    case "OutputGuardrailTripwire":
    case "CallOutdated":
    case "ContinuationRejected":
      return "high";
    case "ModelCallError":
      return error.retryable ? "medium" : "critical";
    case "MemoryError":
      return error.error.retryable ? "high" : "critical";
    case "HandoffError":
    case "AgentNotFound":
    case "InternalError":
      return "critical";
  }
}
