import { ConversationOwnershipError, type JAFError } from "@jaf/core";
import { ContinuationValidationError, type MemoryErrorUnion } from "@jaf/memory";
import type { TurnRefusal } from "./turn-service.ts";

/** Thrown if the conversation store or the turn log failed. The message holds no conversation content. */
export class TurnStoreError extends Error {
  override readonly name = "TurnStoreError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}

/**
 * `TurnService.continueTurn` rejects with it if the turn isn't over, e.g. because another process runs it. That is no failure:
 * deliver the turn's pointer again some seconds later.
 *
 * @example
 * ```ts
 * import { TurnNotContinuedError, type TurnService } from "@jaf/server";
 *
 * declare const service: TurnService;
 * declare const turn: { readonly conversationId: string; readonly turnId: string };
 *
 * try {
 *   await service.continueTurn(turn, AbortSignal.timeout(600_000));
 * } catch (error) {
 *   if (!(error instanceof TurnNotContinuedError)) console.error(error);
 *   // Deliver the pointer again later, in both cases.
 * }
 * ```
 */
export class TurnNotContinuedError extends Error {
  override readonly name = "TurnNotContinuedError";

  constructor(why: string) {
    super(`The turn isn't over: ${why}. Deliver its pointer again later.`);
  }
}

const TEXTS = {
  "not-found": "Conversation not found.",
  running: "Another turn of the conversation is running. Wait until it ends, or stop it.",
  changed: "The conversation has changed. Load it again.",
  draining: "The server is shutting down. Retry later.",
  store: "The store failed.",
} as const;

type FixedReason = keyof typeof TEXTS;

export const refusal = (
  reason: FixedReason,
  more: Partial<Pick<TurnRefusal, "turnId" | "retryable" | "cause">> = {},
): TurnRefusal => ({
  reason,
  message: TEXTS[reason],
  retryable: reason === "running" || reason === "draining",
  ...more,
});

export const invalid = (message: string): TurnRefusal => ({ reason: "invalid", message, retryable: false });

/** Converts an error of the store into a refusal of the turn. */
export function storeRefusal(error: MemoryErrorUnion): TurnRefusal {
  switch (error._tag) {
    case "MemoryNotFoundError":
      return refusal("not-found");
    case "MemoryValidationError":
      return invalid(error.message);
    case "MemoryConflictError":
      if (error.reason === "owner") return refusal("not-found");
      return error.reason === "lease" ? refusal("running") : refusal("changed");
    default:
      return refusal("store", { retryable: error.retryable, cause: error });
  }
}

/**
 * Converts an error that the agent client's `prompt` threw into a refusal of the turn. Returns `undefined` for an
 * unexpected error, e.g. a bug.
 */
export function refusalOfThrown(thrown: unknown): TurnRefusal | undefined {
  if (thrown instanceof ConversationOwnershipError) return refusal("not-found");
  if (thrown instanceof ContinuationValidationError) {
    const isMalformed = thrown.code.startsWith("malformed");
    return isMalformed ? invalid(thrown.message) : { ...refusal("changed"), message: thrown.message };
  }
  // The engine's texts start like this. Any other TypeError is a bug.
  return thrown instanceof TypeError && thrown.message.startsWith("Invalid prompt ")
    ? invalid(thrown.message)
    : undefined;
}

/**
 * Converts the error of a run that has written nothing into a refusal of the turn. Returns `undefined` if the error
 * ends the turn instead, e.g. a failed model call.
 */
export function refusalOfError(error: JAFError): TurnRefusal | undefined {
  if (error._tag === "MemoryError") return storeRefusal(error.error);
  if (error._tag === "ContinuationRejected") return { ...refusal("changed"), message: error.reason };
  return undefined;
}
