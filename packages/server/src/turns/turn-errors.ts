import { ConversationOwnershipError, type JAFError } from "@jaf/core";
import { ContinuationValidationError, type MemoryErrorUnion } from "@jaf/memory";
import type { TurnRefusal } from "./turn-service.ts";

/** The store of conversations or the turn log failed. The message holds no content of a conversation. */
export class TurnStoreError extends Error {
  override readonly name = "TurnStoreError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}

const TEXTS = {
  "not-found": "There is no such conversation.",
  running: "The conversation has a turn that runs.",
  changed: "The conversation isn't what was seen. Load it again.",
  draining: "The server is about to end.",
  store: "The store failed.",
} as const;

type FixedReason = keyof typeof TEXTS;

export const refusal = (
  reason: FixedReason,
  more: Partial<Pick<TurnRefusal, "turnId" | "retryable">> = {},
): TurnRefusal => ({
  reason,
  message: TEXTS[reason],
  retryable: reason === "running" || reason === "draining",
  ...more,
});

export const invalid = (message: string): TurnRefusal => ({ reason: "invalid", message, retryable: false });

/** Why the store's failure refuses a turn. */
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
      return refusal("store", { retryable: error.retryable });
  }
}

/** What a prompt that rejected refuses. `undefined`: it is a fault of the program. */
export function refusalOfThrown(thrown: unknown): TurnRefusal | undefined {
  if (thrown instanceof ConversationOwnershipError) return refusal("not-found");
  if (thrown instanceof ContinuationValidationError) {
    const isMalformed = thrown.code.startsWith("malformed");
    return isMalformed ? invalid(thrown.message) : { ...refusal("changed"), message: thrown.message };
  }
  // The engine's own texts begin so; any other TypeError is a fault of the program.
  return thrown instanceof TypeError && thrown.message.startsWith("Invalid prompt ")
    ? invalid(thrown.message)
    : undefined;
}

/** What an outcome refuses that came before anything was stored. `undefined`: it is how a turn ends. */
export function refusalOfError(error: JAFError): TurnRefusal | undefined {
  if (error._tag === "MemoryError") return storeRefusal(error.error);
  if (error._tag === "ContinuationRejected") return { ...refusal("changed"), message: error.reason };
  return undefined;
}
