import {
  type ConversationMemory,
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createSuccess,
  type MemoryErrorUnion,
  type Result,
} from "@jaf/memory";
import type { MemoryConfig } from "./config.ts";
import { readMetadata, type TurnNote } from "./metadata.ts";
import { settle } from "./settle.ts";

/** The turn that another execution is in the middle of. */
export function turnUnderWay(
  stored: Pick<ConversationMemory, "metadata"> | null,
  executionId: string,
): TurnNote | undefined {
  const turn = stored === null ? undefined : readMetadata(stored).turn;
  return turn === undefined || turn.id === executionId || turn.until <= Date.now() ? undefined : turn;
}

export const turnConflict = (): MemoryErrorUnion =>
  createMemoryConflictError("turn", { operation: "run", retryable: true });

/** The conversation without its messages; `null` if there is none. */
export async function loadHead(
  { provider }: MemoryConfig,
  conversationId: string,
): Promise<Result<ConversationMemory | null>> {
  const operation = "findConversations";
  const found = await settle(operation, () =>
    provider.findConversations({ conversationId, includeMessages: false }),
  );
  if (!found.success) return found;
  if (!Array.isArray(found.data))
    return createFailure(createMemoryStorageError(operation, "the memory provider returned no list"));
  return createSuccess(found.data[0] ?? null);
}
