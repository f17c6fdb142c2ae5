import type { Message } from "@jaf/memory";
import { createMemoryStorageError } from "@jaf/memory/engine";
import { isMediaResolver } from "@jaf/memory/turns";
import type { JAFError } from "../errors.ts";
import type { Journal } from "../memory/journal.ts";
import { toResult } from "../memory/to-result.ts";
import { abortable, runAborted } from "../timing/abort.ts";

const OPERATION = "resolveMedia";

export type WithMedia =
  | { readonly ok: true; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly error: JAFError };

/**
 * Replaces references to media that lie in a blob store (`withBlobs`) by their bytes, for the model. A reference to erased media
 * stays: a conversation must not end because a picture in it was erased. `undefined` where the provider returns all bytes
 * itself. Never rejects.
 */
export function openMedia(
  journal: Journal,
  signal: AbortSignal | undefined,
): ((messages: readonly Message[]) => Promise<WithMedia>) | undefined {
  const { conversationId } = journal;
  const { provider } = journal.memory;
  if (!isMediaResolver(provider)) return undefined;
  return async (messages) => {
    const resolving = toResult(OPERATION, () =>
      provider.resolveMedia(conversationId, messages, { missing: "leave" }),
    );
    // It never rejects of itself, so a rejection is the abort.
    const resolved = await abortable(resolving, signal).catch(() => undefined);
    if (resolved === undefined) return { ok: false, error: runAborted(signal) };
    if (!resolved.success) return { ok: false, error: { _tag: "MemoryError", error: resolved.error } };
    if (Array.isArray(resolved.data)) return { ok: true, messages: resolved.data };
    const error = createMemoryStorageError(OPERATION, "the memory provider returned no messages");
    return { ok: false, error: { _tag: "MemoryError", error } };
  };
}
