import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { idIssue, isVersionedProvider } from "@jaf/memory/internal";

/** The memory that a bridge works on. */
export interface MemorySettings {
  /** Where everything is stored: a provider of this project, or one that `defineMemoryProvider` made. */
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

/** Checks the settings of the function `name`. Throws a `TypeError` that names the field and what was expected. */
export function checkedMemory(name: string, { provider, userId }: MemorySettings): Memory {
  if (provider === null || typeof provider !== "object" || !isVersionedProvider(provider)) {
    throw new TypeError(
      `${name}: invalid provider: expected a provider with readConversation, as all providers of JAF and defineMemoryProvider have it.`,
    );
  }
  checkId(name, "userId", userId);
  return { provider, userId };
}

/** Throws a `TypeError` if a present id isn't valid. */
export function checkId(name: string, field: string, id: string | undefined): void {
  const issue = id === undefined ? undefined : idIssue(field, id);
  if (issue !== undefined) throw new TypeError(`${name}: invalid ${issue.path}: expected ${issue.expected}.`);
}
