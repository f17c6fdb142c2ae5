import type { ContinuationRejectionCode, ErrorCause, MemoryErrorUnion } from "@jaf/memory";
import type * as z from "zod";

/** Why a run ended without an output. No text of ours in it repeats the conversation. */
export type JAFError =
  | { readonly _tag: "MaxTurnsExceeded"; readonly turns: number }
  | BudgetExceeded
  /** The model sent nothing usable, also when asked again. */
  | { readonly _tag: "ModelBehaviorError"; readonly detail: string }
  | ModelRefused
  /** The final reply doesn't match the agent's `outputCodec`. */
  | { readonly _tag: "DecodeError"; readonly errors: z.ZodIssue[] }
  /** `reason` is the guardrail's own, or, of one that threw, the kind of error and its message, by `RunConfig.maskSecrets`. */
  | { readonly _tag: "InputGuardrailTripwire"; readonly reason: string }
  | { readonly _tag: "OutputGuardrailTripwire"; readonly reason: string }
  /** A tool threw, and `RunConfig.onToolError` is `"fail"`. `detail` is its own message, by `RunConfig.maskSecrets`. */
  | { readonly _tag: "ToolCallError"; readonly tool: string; readonly detail: string }
  | { readonly _tag: "HandoffError"; readonly detail: string }
  | { readonly _tag: "AgentNotFound"; readonly agentName: string }
  | ModelCallError
  | RunInterrupted
  | ContinuationRejected
  /** The store failed. No tool has run whose call was to be durable and isn't. */
  | { readonly _tag: "MemoryError"; readonly error: MemoryErrorUnion }
  /** `RunConfig.signal` was aborted, or the loop over a stream was left. `reason` is the signal's. */
  | { readonly _tag: "RunAborted"; readonly reason: string }
  /** A fault in the program: a configuration that contradicts itself, or (`cause`) code that threw where it must not. */
  | { readonly _tag: "InternalError"; readonly detail: string; readonly cause?: ErrorCause };

/**
 * What `RunConfig.budget` allows is used up, so no further model call was begun. The call that went over it was made and counts:
 * a reply that it brought is kept, and a run that ends with it is completed.
 */
export interface BudgetExceeded {
  readonly _tag: "BudgetExceeded";
  readonly of: "run" | "conversation";
  readonly limit: "maxCost" | "maxTokens";
  readonly allowed: number;
  readonly spent: number;
}

/**
 * The model declined to answer an agent that has an `outputCodec`; nothing of it is stored. Without one a refusal is a reply
 * like any other.
 */
export interface ModelRefused {
  readonly _tag: "ModelRefused";
  /** The model's own words: to be shown rather than logged. */
  readonly refusal: string;
}

/** Calls wait for an approval, or for the client to run them. Only with the outcome `interrupted`. */
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
   * One of `ContinuationRejectionCode`; `"expired-approval"`: it came too late; `"changed-arguments"`: the tool's schema
   * makes other arguments of the call by now than those that were shown; `"rejected"`: a `RunConfig.validate` of the
   * application threw.
   */
  readonly code: ContinuationRejectionCode | "expired-approval" | "changed-arguments" | "rejected";
  /** For the application's log. Holds no message, but what a `validate` of the application put into its error. */
  readonly reason: string;
  /** Which of the client's messages, where one is to blame. */
  readonly index?: number;
}

/**
 * The provider threw, or took too long, and retrying was of no use or not allowed; or a middleware round the call did, which is
 * not retried.
 */
export interface ModelCallError {
  readonly _tag: "ModelCallError";
  /** How often models were called in all; `0` where a middleware failed before. */
  readonly attempts: number;
  /** Whether another run can succeed: it was a network error, a timeout, a rate limit or a fault of the server. */
  readonly retryable: boolean;
  /** The HTTP status, if the provider's error carries one. */
  readonly status?: number;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The limit, in milliseconds, that the last attempt went over; see `RunConfig.modelTimeoutMs`. Absent: it failed otherwise. */
  readonly timeoutMs?: number;
  /** What was thrown, in its own words. */
  readonly cause: ErrorCause;
}

export type ErrorSeverity = "low" | "medium" | "high" | "critical";
