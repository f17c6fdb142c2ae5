import { type ConversationMemory, createMemoryConflictError, type MemoryErrorUnion } from "@jaf/memory";
import { readMetadata, type TurnNote } from "./metadata.ts";

/** The note of the last turn. */
export const turnOf = (stored: Pick<ConversationMemory, "metadata"> | null): TurnNote | undefined =>
  stored === null ? undefined : readMetadata(stored).turn;

/** The turn that another execution is in the middle of. */
export function turnUnderWay(
  stored: Pick<ConversationMemory, "metadata"> | null,
  executionId: string,
): TurnNote | undefined {
  const turn = turnOf(stored);
  return turn === undefined || turn.id === executionId || turn.until <= Date.now() ? undefined : turn;
}

export const turnConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("turn", { operation: "run", retryable: true });

/** The conversation that this run decided on is no more, whatever has its id now. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
