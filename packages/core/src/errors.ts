import type { ContinuationRejectionCode, ErrorCause, MemoryErrorUnion } from "@jaf/memory";
import type * as z from "zod";

/** Why a run ended without an output. The engine's own texts in it never quote the conversation. */
export type JAFError =
  | { readonly _tag: "MaxTurnsExceeded"; readonly turns: number }
  | BudgetExceeded
  /** The model's reply was unusable, also after retries. */
  | { readonly _tag: "ModelBehaviorError"; readonly detail: string }
  | ModelRefused
  /** The final reply doesn't match the agent's `outputCodec`. */
  | { readonly _tag: "DecodeError"; readonly errors: z.ZodIssue[] }
  /** `reason` is the guardrail's own. If the guardrail threw, it is the error's name and its message, masked by `RunConfig.maskSecrets`. */
  | { readonly _tag: "InputGuardrailTripwire"; readonly reason: string }
  | { readonly _tag: "OutputGuardrailTripwire"; readonly reason: string }
  /** A tool threw, and `RunConfig.onToolError` is `"fail"`. `detail` is the error's message, masked by `RunConfig.maskSecrets`. */
  | { readonly _tag: "ToolCallError"; readonly tool: string; readonly detail: string }
  | { readonly _tag: "HandoffError"; readonly detail: string }
  | { readonly _tag: "AgentNotFound"; readonly agentName: string }
  | ModelCallError
  | RunInterrupted
  | ContinuationRejected
  /** The store failed. No tool has run whose call should have been stored first and wasn't. */
  | { readonly _tag: "MemoryError"; readonly error: MemoryErrorUnion }
  /** `RunConfig.signal` was aborted, or the loop over a stream was left. `reason` is the signal's. */
  | { readonly _tag: "RunAborted"; readonly reason: string }
  /** An error in the program: an invalid configuration, or (`cause`) code that threw where it must not. */
  | { readonly _tag: "InternalError"; readonly detail: string; readonly cause?: ErrorCause };

/**
 * The budget of `RunConfig.budget` is used up, so no further model call was made. The call that exceeded it counts: its reply is
 * kept, and a run that ends with that reply is completed.
 */
export interface BudgetExceeded {
  readonly _tag: "BudgetExceeded";
  readonly of: "run" | "conversation";
  readonly limit: "maxCost" | "maxTokens";
  readonly allowed: number;
  readonly spent: number;
}

/**
 * The model declined to answer, and the agent has an `outputCodec`. The refusal isn't stored. Without a codec, a refusal is a
 * reply like any other.
 */
export interface ModelRefused {
  readonly _tag: "ModelRefused";
  /** The model's own words. They may quote the conversation: show them, don't log them. */
  readonly refusal: string;
}

/** Tool calls wait for an approval, or for the client to run them. Only with the outcome `interrupted`. */
export interface RunInterrupted {
  readonly _tag: "RunInterrupted";
  /** How many calls wait. */
  readonly waiting: number;
}

/**
 * What a client sent doesn't fit the stored conversation: its copy of the history, an approval, or the result of a tool.
 * Nothing of it was used.
 */
export interface ContinuationRejected {
  readonly _tag: "ContinuationRejected";
  /**
   * One of `ContinuationRejectionCode`; `"expired-approval"`: an approval came too late; `"changed-arguments"`: the tool's schema
   * now parses the call to other arguments than those that were shown; `"rejected"`: the application's `RunConfig.validate` threw.
   */
  readonly code: ContinuationRejectionCode | "expired-approval" | "changed-arguments" | "rejected";
  /** For the application's log. It quotes no message, except for what the application's `validate` puts into its error. */
  readonly reason: string;
  /** The index of the client's message that was rejected, if it was one message. */
  readonly index?: number;
}

/**
 * The model provider threw or took too long, and no retry succeeded or was allowed; or a middleware's `wrapModelCall` did, which
 * isn't retried.
 */
export interface ModelCallError {
  readonly _tag: "ModelCallError";
  /** How many times models were called; `0` if a middleware failed before the first call. */
  readonly attempts: number;
  /** Whether another run may succeed: it was a network error, a timeout, a rate limit or a server error. */
  readonly retryable: boolean;
  /** The HTTP status, if the provider's error carries one. */
  readonly status?: number;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The time limit, in milliseconds, that the last attempt exceeded; see `RunConfig.timeouts.modelMs`. Absent: it failed otherwise. */
  readonly timeoutMs?: number;
  /** What was thrown. */
  readonly cause: ErrorCause;
}

export type ErrorSeverity = "low" | "medium" | "high" | "critical";

/** Analyses a {@link JAFError}. Each function is available on the class and on an instance. */
export class JAFErrorHandler {
  /** One sentence to show or log. */
  static readonly format = format;
  /** Whether the same run can succeed when it is tried again. */
  static readonly isRetryable = isRetryable;
  /** `critical`: somebody has to change code, configuration or credentials. */
  static readonly getSeverity = getSeverity;

  /** One sentence to show or log. */
  readonly format = format;
  /** Whether the same run can succeed when it is tried again. */
  readonly isRetryable = isRetryable;
  /** `critical`: somebody has to change code, configuration or credentials. */
  readonly getSeverity = getSeverity;
}

const SHOWN_ISSUES = 5;

function formatIssues({ errors }: Extract<JAFError, { _tag: "DecodeError" }>): string {
  const shown = errors
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : "";
  return `${shown.join("; ")}${more}`;
}

function formatCall({ attempts, status, cause }: ModelCallError): string {
  const times = attempts < 2 ? "" : ` ${attempts} times`;
  return `The model call failed${times}${status === undefined ? "" : ` with status ${status}`}: ${cause.message}`;
}

function format(error: JAFError): string {
  switch (error._tag) {
    case "MaxTurnsExceeded":
      return `The run was stopped after ${error.turns} steps without a final reply.`;
    case "BudgetExceeded":
      return `The budget of the ${error.of} is used up: ${error.spent} of ${error.allowed} (${error.limit}).`;
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
    case "ContinuationRejected":
      return `The continuation was rejected (${error.code}): ${error.reason}`;
    case "MemoryError":
      return error.error.message;
    case "RunAborted":
      return `The run was aborted: ${error.reason}`;
    case "InternalError":
      return `The run met a fault in the program: ${error.detail}${error.cause === undefined ? "" : `: ${error.cause.message}`}`;
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
