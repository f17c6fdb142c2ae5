import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import {
  createMemoryValidationError,
  idIssue,
  isVersionedProvider,
  MemoryCallError,
} from "@jaf/memory/internal";
import type { FoldSessionSummary } from "./types.ts";

/** The settings of {@link createSessionStore}. */
export interface SessionStoreSettings {
  /** Where the transcripts are stored. A provider of this project, also with `withRetry` around it. */
  readonly provider: MemoryProvider;
  /**
   * The owner of all sessions that this store writes and reads. `provider.clearUserConversations(userId)` erases them.
   * Default: a session's `projectKey` is its owner.
   */
  readonly userId?: string;
  /**
   * The SDK's `foldSessionSummary`. With it, the store keeps a summary of each session, and the SDK lists sessions
   * without loading them.
   */
  readonly foldSessionSummary?: FoldSessionSummary;
}

/** Returns the provider. Throws a `MemoryCallError` if it lacks a method that the store needs, or `userId` isn't valid. */
export function checkedProvider({ provider, userId }: SessionStoreSettings): VersionedMemoryProvider {
  const issue = userId === undefined ? undefined : idIssue("userId", userId);
  const issues = issue === undefined ? [] : [issue];
  if (isVersionedProvider(provider) && issues.length === 0) return provider;
  if (!isVersionedProvider(provider)) {
    issues.push({ path: "provider", expected: "a provider with readConversation, such as those of JAF" });
  }
  throw new MemoryCallError(createMemoryValidationError(issues, { operation: "createSessionStore" }));
}
