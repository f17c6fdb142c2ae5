import { createFailure, createMemoryStorageError, type Message, type Result, readsMedia } from "@jaf/memory";
import type { Journal } from "../memory/journal.ts";
import { settle } from "../memory/settle.ts";

const OPERATION = "resolveMedia";

/** Never rejects. */
export type ResolveMedia = (messages: readonly Message[]) => Promise<Result<readonly Message[]>>;

/**
 * Puts the bytes of media in the place of what the store gives in their stead (`withBlobs`), for what a model is to see.
 * What is gone stays as it is: a conversation must not end because a picture in it was erased. `undefined` where the provider
 * gives all bytes itself.
 */
export function openMedia(journal: Journal | undefined): ResolveMedia | undefined {
  if (journal === undefined) return undefined;
  const { conversationId } = journal;
  const { provider } = journal.memory;
  if (!readsMedia(provider)) return undefined;
  return async (messages) => {
    const resolved = await settle(OPERATION, () =>
      provider.resolveMedia(conversationId, messages, { missing: "leave" }),
    );
    if (!resolved.success || Array.isArray(resolved.data)) return resolved;
    return createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no messages"));
  };
}
