import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { checkedProvider } from "@jaf/memory/internal";

/** The settings that all functions of this package have. */
export interface LangGraphSettings {
  /** Where everything is stored: a provider of JAF, also with `withRetry` around it. */
  readonly provider: MemoryProvider;
  /**
   * The owner. What is created belongs to this user and is erased with the user's conversations. What belongs to another
   * user, or to no user, is neither read nor changed. Default: no owner, and no check of owners.
   * `undefined` as its value, e.g. for a visitor without a login, is a `TypeError`.
   */
  readonly userId?: string;
}

/** The checked settings of a bridge. */
export interface Memory {
  readonly provider: VersionedMemoryProvider;
  readonly userId: string | undefined;
}

/** Checks the settings of the function `name`. Throws a `TypeError` if they are invalid. */
export const checkedMemory = (name: string, settings: LangGraphSettings): Memory => ({
  provider: checkedProvider(name, settings),
  userId: settings.userId,
});
