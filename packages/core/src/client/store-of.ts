import type { AnyConversationStore } from "@jaf/memory";
import type { ClientSettings } from "./config.ts";
import { getConversationStore } from "./default-store.ts";

/** Throws a `TypeError` where there is none. */
export function storeOf<Ctx, Out>({
  store = getConversationStore(),
}: ClientSettings<Ctx, Out>): AnyConversationStore {
  if (store !== undefined) return store;
  throw new TypeError(
    "No conversation store: call setConversationStore(store) first, or give createAgentClient a store.",
  );
}
