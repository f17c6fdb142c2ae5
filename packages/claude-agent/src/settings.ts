import type { MemoryProvider } from "@jaf/memory";
import type { FoldSessionSummary } from "./types.ts";

/** The settings of {@link createSessionStore}. */
export interface SessionStoreSettings {
  /** Where the transcripts are stored: a provider of JAF, also with `withRetry` or `withBlobs` around it. */
  readonly provider: MemoryProvider;
  /**
   * The owner of all sessions that this store writes and reads. `provider.clearUserConversations(userId)` erases them.
   * Default: a session's `projectKey` is its owner.
   * `undefined` as its value, e.g. for a visitor without a login, is a `TypeError`.
   */
  readonly userId?: string;
  /**
   * The SDK's `foldSessionSummary`. With it, the store keeps a summary of each session, and the SDK lists sessions
   * without loading them.
   */
  readonly foldSessionSummary?: FoldSessionSummary;
}
