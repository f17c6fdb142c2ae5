import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import {
  createMemoryValidationError,
  idIssue,
  isVersionedProvider,
  MemoryCallError,
} from "@jaf/memory/internal";
import type { AgentInputItem } from "@openai/agents-core";

/** The settings of {@link createSession}. */
export interface SessionSettings {
  /** Where the conversation is stored. A provider of this project, also with `withRetry` or `withBlobs` around it. */
  readonly provider: MemoryProvider;
  /** The id of the conversation. It is also the id of the session. */
  readonly conversationId: string;
  /**
   * The owner of the conversation. Another user's conversation counts as missing when it is read, and writes to it are
   * refused. Absent: the conversation that the session creates has no owner, and the owner isn't checked.
   */
  readonly userId?: string;
  /**
   * Called after each completed run with all items of the session. If it returns items, e.g. a summary and the last
   * turn, they replace all items. Returns `undefined` to keep the items. Default: nothing is compacted.
   */
  readonly compact?: (
    items: readonly AgentInputItem[],
  ) => Promise<readonly AgentInputItem[] | undefined> | readonly AgentInputItem[] | undefined;
}

/** The checked settings of a session's conversation. */
export interface Place {
  readonly provider: VersionedMemoryProvider;
  readonly conversationId: string;
  readonly userId: string | undefined;
}

/** Throws a `MemoryCallError` if an id isn't valid, or if the provider lacks a method that a session needs. */
export function placeOf({ provider, conversationId, userId }: SessionSettings): Place {
  const issue =
    idIssue("conversationId", conversationId) ??
    (userId === undefined ? undefined : idIssue("userId", userId));
  const issues = issue === undefined ? [] : [issue];
  if (!isVersionedProvider(provider)) {
    issues.push({ path: "provider", expected: "a provider with readConversation, such as those of JAF" });
    throw new MemoryCallError(createMemoryValidationError(issues, { operation: "createSession" }));
  }
  if (issues.length > 0) {
    throw new MemoryCallError(createMemoryValidationError(issues, { operation: "createSession" }));
  }
  return { provider, conversationId, userId };
}
