import type { Message } from "../message.ts";
import type { ApprovalDecision } from "./approval.ts";
import { type ContinuationOptions, parseMode } from "./options.ts";
import { assertValidContinuation } from "./validate.ts";

/** What a client asks for, beside what the store has: what a {@link ContinuationValidator} judges. */
export interface Continuation
  extends Pick<
    ContinuationOptions,
    "pendingApprovals" | "clientToolCallIds" | "dropped" | "mayBeginLater" | "historyToken"
  > {
  /** The history as the store has it. */
  readonly persisted: readonly Message[];
  /**
   * What the client sent, its copy of the history included unless it sent a token in its place (`historyToken`). Nothing has
   * checked it: its type is a claim.
   */
  readonly incoming: readonly Message[];
  /** What the client decided. Nothing has checked it either. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** Absent before a new conversation is made. */
  readonly conversationId?: string | undefined;
}

/** Lets a continuation pass by returning, and refuses it by throwing. */
export type ContinuationValidator = (continuation: Continuation) => void | Promise<void>;

/**
 * The validator to begin with: {@link assertValidContinuation} as a hook. It throws `ContinuationValidationError`.
 * `options.mode` is `strict` unless it says otherwise. Throws a `TypeError` that names a bad option.
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
