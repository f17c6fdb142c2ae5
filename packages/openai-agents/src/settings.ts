import type { MemoryProvider } from "@jaf/memory";
import { checkedProvider, type Place } from "@jaf/memory/internal";
import type { AgentInputItem } from "@openai/agents-core";

/** The settings of {@link createSession}. */
export interface SessionSettings {
  /** Where the conversation is stored: a provider of JAF, also with `withRetry` or `withBlobs` around it. */
  readonly provider: MemoryProvider;
  /** The id of the conversation. It is also the id of the session. */
  readonly conversationId: string;
  /**
   * The owner of the conversation. Another user's conversation counts as missing when it is read, and writes to it are
   * refused. Absent: the conversation that the session creates has no owner, and the owner isn't checked.
   * `undefined` as its value, e.g. for a visitor without a login, is a `TypeError`.
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

/** Returns the conversation of a session. Throws a `TypeError` if the settings are invalid. */
export function placeOf(settings: SessionSettings): Place {
  const provider = checkedProvider("createSession", settings, ["conversationId"]);
  return { provider, conversationId: settings.conversationId, userId: settings.userId };
}
