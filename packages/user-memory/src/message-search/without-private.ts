import { holdsSecret, isUsersOwn, messageText } from "@jaf/memory/internal";
import { isPrivate } from "../evidence/user-input.ts";
import type { FoundMessage } from "./find-messages.ts";

/**
 * Removes what a model shouldn't be told again: passages with secrets, and messages in which the user asks not to keep
 * something. A reply to such a message isn't recognized.
 *
 * @example
 * ```ts
 * import { createMessageSearch, renderFoundMessages, withoutPrivate } from "@jaf/user-memory";
 * import type { MemoryProvider } from "@jaf/memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const found = await createMessageSearch(provider).search("user-123", "the move to Oslo");
 * if (found.success) console.log(renderFoundMessages(withoutPrivate(found.data)));
 * ```
 */
export const withoutPrivate = (messages: readonly FoundMessage[]): readonly FoundMessage[] =>
  messages.filter(
    ({ message, passage }) =>
      !holdsSecret(passage) && !(isUsersOwn(message) && isPrivate([messageText(message)])),
  );
