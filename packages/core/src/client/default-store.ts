import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import { createConversationStore } from "@jaf/memory/client";

/** On the global object, so that the ES module and the CommonJS module share it: a process may load both. */
const SLOT = Symbol.for("@jaf/core/conversation-store");

const slots = globalThis as { [SLOT]?: AnyConversationStore | undefined };

const STORE_METHODS = ["create", "load", "append", "setTitle", "list"] as const;
const EXPECTED = "a ConversationStore or a MemoryProvider";

/**
 * Sets the conversation store of the process, which every agent client uses whose configuration has no `store`. `undefined`
 * removes it. Throws a `TypeError` if it isn't a store.
 */
export function setConversationStore(store: AnyConversationStore | MemoryProvider | undefined): void {
  slots[SLOT] = store === undefined ? undefined : toConversationStore(store, "conversation store");
}

/** The conversation store of the process. `undefined`: none is set. */
export const getConversationStore = (): AnyConversationStore | undefined => slots[SLOT];

/** The store itself, or one over the provider. Throws a `TypeError` that begins with `what`. */
export function toConversationStore(
  store: AnyConversationStore | MemoryProvider,
  what: string,
): AnyConversationStore {
  if (typeof store !== "object" || store === null) {
    throw new TypeError(`Invalid ${what}: expected ${EXPECTED}.`);
  }
  if ("appendMessages" in store) return createConversationStore(store);
  for (const method of STORE_METHODS) {
    if (typeof store[method] === "function") continue;
    throw new TypeError(`Invalid ${what}: expected ${EXPECTED}, and it has no ${method}().`);
  }
  return store;
}
