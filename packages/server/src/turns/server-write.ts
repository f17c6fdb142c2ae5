import type { Message, VersionedMemoryProvider, WriteMetadata, WriteOptions, WriteResult } from "@jaf/memory";
import { retryWithBackoff } from "@jaf/memory/adapter";

export interface ServerWrite {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly options: WriteOptions;
}

/** Appends for the server itself. Repeated under its key if it fails for a passing reason, for a few seconds. */
export function appendRepeatedly(
  provider: VersionedMemoryProvider,
  { conversationId, messages, metadata, options }: ServerWrite,
): Promise<WriteResult> {
  return retryWithBackoff(
    () => provider.appendMessages(conversationId, [...messages], { ...metadata }, options),
    {
      maxElapsedMs: 5_000,
      // A wrapper that repeats calls by itself says how often it did.
      isTransientResult: (result) =>
        !result.success && result.error.retryable && result.error.attempts === undefined,
    },
  );
}
