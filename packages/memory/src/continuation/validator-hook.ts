import type { Message } from "../message.ts";
import type { ApprovalDecision } from "./approval.ts";
import { type ContinuationOptions, parseMode } from "./options.ts";
import { assertValidContinuation } from "./validate-continuation.ts";

/** The input of a {@link ContinuationValidator}: what a client sent, and what the store has. */
export interface Continuation
  extends Pick<
    ContinuationOptions,
    "pendingApprovals" | "clientToolCallIds" | "dropped" | "mayBeginLater" | "historyToken"
  > {
  /** The history as the store has it. */
  readonly persisted: readonly Message[];
  /**
   * What the client sent, including its copy of the history unless it sent a token (`historyToken`).
   * Unchecked, whatever its type says.
   */
  readonly incoming: readonly Message[];
  /** The client's decisions, unchecked as well. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** Absent before a new conversation is created. */
  readonly conversationId?: string | undefined;
}

/** Accepts a continuation by returning, and refuses it by throwing. */
export type ContinuationValidator = (continuation: Continuation) => void | Promise<void>;

/**
 * The default validator: {@link assertValidContinuation} as a hook. It throws `ContinuationValidationError`.
 * `options.mode` defaults to `strict`. Throws a `TypeError` that names a bad option.
 */
export function defaultContinuationValidator(
  options: Pick<ContinuationOptions, "mode"> = {},
): ContinuationValidator {
  const mode = parseMode(options);
  return ({
    persisted,
    incoming,
    approvals,
    pendingApprovals,
    clientToolCallIds,
    dropped,
    mayBeginLater,
    historyToken,
  }) => {
    assertValidContinuation(persisted, incoming, {
      mode,
      approvals,
      pendingApprovals,
      clientToolCallIds,
      dropped,
      mayBeginLater,
      historyToken,
    });
  };
}
