import { ContinuationValidationError } from "@jaf/memory/turns";
import type { RunResult } from "../run-result.ts";
import { ConversationOwnershipError } from "./ownership-error.ts";
import type { WatchedValidator } from "./watched-validator.ts";

/**
 * Throws where the outcome is that somebody asked for what isn't theirs, or sent what was never so: what a validator
 * threw, `ContinuationValidationError`, or {@link ConversationOwnershipError}. An approval that comes too late, or
 * of arguments that are others by now, is none of these.
 */
export function throwRefusal(outcome: RunResult<unknown>["outcome"], validator: WatchedValidator): void {
  if (outcome.status !== "error") return;
  const { error } = outcome;
  if (error._tag === "ContinuationRejected") {
    const refusal = validator.thrown();
    if (refusal !== undefined) throw refusal.thrown;
    const { code, reason, index } = error;
    if (code === "expired-approval" || code === "changed-arguments" || code === "rejected") return;
    throw new ContinuationValidationError({
      ok: false,
      code,
      reason,
      ...(index === undefined ? {} : { index }),
    });
  }
  if (error._tag !== "MemoryError" || error.error._tag !== "MemoryConflictError") return;
  if (error.error.reason === "owner") throw new ConversationOwnershipError();
}
