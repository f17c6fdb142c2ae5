import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { checkedProvider } from "@jaf/memory/internal";

/** The memory that a bridge works on. */
export interface MemorySettings {
  /** Where everything is stored: a provider of JAF, also with `withRetry` around it. */
  readonly provider: MemoryProvider;
  /**
   * The owner. What is created belongs to this user and is erased with the user's conversations. What belongs to another
   * user, or to no user, is neither read nor changed. Default: no owner, and no check of owners.
   */
  readonly userId?: string;
}

/** The checked settings of a bridge. */
export interface Memory {
  readonly provider: VersionedMemoryProvider;
  readonly userId: string | undefined;
}

/**
 * Checks the settings of the function `name`, and the ids that it has besides. Throws a `TypeError` if they are invalid,
 * also if `userId` is there but `undefined`: a user who isn't signed in mustn't get the data of all users.
 */
export function checkedMemory(
  name: string,
  settings: MemorySettings,
  ids: Readonly<Record<string, string>> = {},
): Memory {
  const { userId } = settings;
  const owner = Object.hasOwn(settings, "userId") ? { userId } : {};
  return { provider: checkedProvider(name, settings.provider, { ...ids, ...owner }), userId };
}
