import {
  type ConversationMemory,
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createSuccess,
  type Result,
} from "@jaf/memory";
import type { MemoryConfig } from "./config.ts";
import { settle } from "./settle.ts";

const OPERATION = "getConversation";

/** The stored conversation, `null` for a new one; a conflict when it is somebody else's. */
export async function loadConversation(
  { provider, userId }: MemoryConfig,
  conversationId: string,
): Promise<Result<ConversationMemory | null>> {
  const loaded = await settle(OPERATION, () => provider.getConversation(conversationId));
  if (!loaded.success) return loaded;
  if (!isConversation(loaded.data)) {
    return createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no conversation"));
  }
  const owner = loaded.data?.userId;
  if (userId !== undefined && owner !== undefined && owner !== userId) {
    return createFailure(createMemoryConflictError("owner", { operation: OPERATION }));
  }
  return createSuccess(loaded.data);
}

function isConversation(data: unknown): data is ConversationMemory | null {
  if (data === null) return true;
  return typeof data === "object" && "messages" in data && Array.isArray(data.messages);
}
