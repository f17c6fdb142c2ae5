import type { ConversationMemory, MemoryErrorUnion } from "@jaf/memory";
import { createMemoryStorageError } from "@jaf/memory/internal";

/**
 * The engine's keys in a conversation's metadata, and the highest format of their values that this release reads. A
 * value holds its format in the field `format`; without it, the format is 1. All other keys belong to the application.
 */
export const FORMATS = { jaf: 1, jafInbox: 1, jafSummary: 2, jafSummaryPause: 1 } as const;

/**
 * Returns an error if a newer release has written the conversation in a format that this release can't read. A process
 * that gets the error must leave the conversation as it is, because a write would replace what it can't read.
 */
export function newerFormatError({
  metadata,
}: Pick<ConversationMemory, "metadata">): MemoryErrorUnion | undefined {
  for (const [key, known] of Object.entries(FORMATS)) {
    const format = formatOf(metadata?.[key]);
    if (format <= known) continue;
    const reason = `a newer release wrote "${key}" in format ${format}, and this process reads formats up to ${known}; upgrade this process`;
    return createMemoryStorageError("readConversation", reason, { retryable: false });
  }
  return undefined;
}

function formatOf(value: unknown): number {
  const format: unknown =
    typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  return typeof format === "number" ? format : 1;
}
