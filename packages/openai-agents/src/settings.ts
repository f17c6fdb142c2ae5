import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { checkedProvider } from "@jaf/memory/internal";
import type { AgentInputItem } from "@openai/agents-core";

/** The settings of {@link createSession}. */
export interface SessionSettings {
  /** Where the conversation is stored: a provider of JAF, also with `withRetry` or `withBlobs` around it. */
  readonly provider: MemoryProvider;
  /** The id of the conversation. It is also the id of the session. */
  readonly conversationId: string;
  /**
   * The owner of the conversation. Another user's conversation counts as missing when it is read, and writes to it are
   * refused. Absent: the conversation that the session creates has no owner, and the owner isn't checked. A `userId` that
   * is `undefined` is refused.
   */
  readonly userId?: string;
  /**
   * Called after each completed run with all items of the session. If it returns items, e.g. a summary and the last
   * turn, they replace all items. Returns `undefined` to keep the items. If it fails, the items stay, and a warning of
   * the process (`JAFCompactionWarning`) says so. Default: nothing is compacted.
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

/**
 * Throws a `TypeError` if the settings are invalid, also if they have a `userId` that is `undefined`: without a user, an
 * application would otherwise open every user's conversations.
 */
export function placeOf(settings: SessionSettings): Place {
  const { provider, conversationId, userId } = settings;
  const ids = Object.hasOwn(settings, "userId") ? { conversationId, userId } : { conversationId };
  return { provider: checkedProvider("createSession", provider, ids), conversationId, userId };
}
