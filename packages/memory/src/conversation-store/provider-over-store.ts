import * as z from "zod";
import { createKeyedQueue } from "../async/keyed-queue.ts";
import { defineMemoryProvider } from "../backend/define-provider.ts";
import { setBounded } from "../bounded-map.ts";
import { parseOptions } from "../codec/schema-issues.ts";
import type { MemoryProvider } from "../provider.ts";
import type { StoreState } from "./local-state.ts";
import type { AnyConversationStore, ProviderConversationStore } from "./store.ts";
import { createStoreBackend } from "./store-backend.ts";

const MAX_VIEWS = 2_000;

const METHODS = ["create", "load", "append", "setTitle", "list"] as const;

/** Shared by all views of a store in this process, so that writes through two of them are done one after another. */
const states = new WeakMap<AnyConversationStore, StoreState>();

function stateOf(store: AnyConversationStore): StoreState {
  const state: StoreState = states.get(store) ?? {
    queue: createKeyedQueue(),
    conversations: new Map(),
    views: new Map(),
  };
  states.set(store, state);
  return state;
}

const optionsSchema = z.strictObject({
  /**
   * The user whose conversations the view shows: those that `list(userId)` names. Any other is a `MemoryConflictError` with
   * reason `"owner"`. Without it, `list()` has to name the conversations of all users, each with its owner.
   */
  userId: z.string().min(1).exactOptional(),
});

export type ProviderOfOptions = z.input<typeof optionsSchema>;

/** Whether the store was made over a provider, by this package or by somebody's subclass or wrapper of it. */
export function isProviderConversationStore(store: AnyConversationStore): store is ProviderConversationStore {
  return (
    "threadFor" in store &&
    typeof store.threadFor === "function" &&
    "provider" in store &&
    typeof store.provider === "object" &&
    store.provider !== null &&
    "appendMessages" in store.provider
  );
}

/**
 * The memory provider behind a conversation store, for an engine to work with: its own `provider` if it has one, else a
 * view of its five methods. The view guarantees no more than they do:
 *
 * - A conversation is made by `create` alone: a write to an id that `list` doesn't name is refused.
 * - The owner of a conversation is taken from `list` with every read and every write, since it may get another owner or be
 *   deleted.
 * - Versions, positions and the incarnation are this process's own: the version rises with every write through it and every
 *   change of the number of messages that it sees, and another process, or this one after a restart, begins at 1 with another
 *   incarnation. They and the idempotency key are compared before the append: atomic against writes through this process,
 *   not against those of another one. A conversation that was created again under the same id is told apart by its deletion
 *   through this process, its `createdAt` and its owner.
 * - An `append` that throws may still have happened: the view loads the conversation to find out, and does so again when
 *   the write is tried again under its key, which no other write may use, or its receipt is asked for. Where that doesn't show it, it fails with a
 *   `MemoryStorageError` that isn't retryable.
 * - Metadata stays in this process, for the 2,000 conversations that were used last. What an engine stores there (turns in
 *   progress, approvals that wait, which agent has it, summaries) is lost in a restart, unknown to other processes, and
 *   forgotten where the conversation has another owner.
 * - A `load` that sanitizes hides calls that wait for their result: they are not gone on with after a restart.
 * - `dropLast`, `messageIds`, `maxMessages`, `ttlSeconds`, imports, a search by trace, and replacing messages are refused.
 *
 * `close` leaves the store open. Throws a `TypeError` if a method is missing or for invalid options.
 */
export function providerOf(store: AnyConversationStore, options: ProviderOfOptions = {}): MemoryProvider {
  const { userId } = parseOptions(optionsSchema, options, "provider view options");
  if (isProviderConversationStore(store)) return store.provider;
  for (const method of METHODS) {
    if (typeof store[method] !== "function") {
      throw new TypeError(`Invalid conversation store: ${method}: expected a function.`);
    }
  }
  return viewOf(store, userId);
}

/** The same object for the same user, as an engine may queue runs by provider; a new one after `close`. */
function viewOf(store: AnyConversationStore, userId: string | undefined): MemoryProvider {
  const state = stateOf(store);
  const key = JSON.stringify(userId ?? null);
  const known = state.views.get(key);
  if (known !== undefined) return known;
  const provider = defineMemoryProvider(createStoreBackend({ store, state, userId }));
  const view: MemoryProvider = {
    ...provider,
    close: () => {
      state.views.delete(key);
      return provider.close();
    },
  };
  setBounded(state.views, [key, view], MAX_VIEWS);
  return view;
}
