import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConflictError } from "@jaf/memory/engine";
import { DEFAULT_TURN_LEASE_MS } from "./config.ts";
import { hasTurnEnded } from "./ended-turns.ts";
import { isHeld } from "./lease.ts";
import type { Head } from "./loaded.ts";
import { readMetadata, type TurnNote } from "./metadata.ts";

/** The note of the last turn. */
export const turnOf = (stored: Pick<ConversationMemory, "metadata"> | null): TurnNote | undefined =>
  stored === null ? undefined : readMetadata(stored).turn;

/** The turn that another execution was in the middle of when the store was read. */
export function turnUnderWay(
  { conversation, time }: Pick<Head, "conversation" | "time">,
  executionId: string,
): TurnNote | undefined {
  const turn = turnOf(conversation);
  if (turn === undefined || turn.id === executionId || hasTurnEnded(turn.id)) return undefined;
  return isHeld(turn, time.readAt, DEFAULT_TURN_LEASE_MS) ? turn : undefined;
}

export const turnConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("turn", { operation: "run", retryable: true });

/** The conversation that this run decided on is no more, whatever has its id now. */
export const incarnationConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("incarnation", { operation: "run" });
