import { drainWork } from "../background-work.ts";
import { isStore, type UserMemoryStore } from "../store.ts";
import { fillSlot, isLinked, isUserMemory, type LinkedUserMemory, type UserMemory } from "../user-memory.ts";
import { type MemoryLinkOptions, middlewareFor } from "./middleware.ts";

/** A store of one's own, ready for runs. */
export interface AdaptedUserMemory extends LinkedUserMemory {
  /** Waits until what this process is extracting is remembered, at most `timeoutMs`. Never rejects. */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Makes a user memory that a run can be given of any store with `remember`, `recall`, `forget` and `list`: nothing else is
 * asked of it. A store of this package, too, where inject or extract are to be configured.
 *
 * A store that keeps no trust is given the user's own words and what follows from them alone; the latter carries the tag
 * `"inferred"`. What would be kept for review is dropped. Throws a `TypeError` for what is no such store.
 */
export function asUserMemory(store: UserMemoryStore, options?: MemoryLinkOptions): UserMemoryStore;
export function asUserMemory(store: UserMemory, options?: MemoryLinkOptions): AdaptedUserMemory;
export function asUserMemory(store: UserMemory, options: MemoryLinkOptions = {}): AdaptedUserMemory {
  checkStore(store);
  const { forgetAll } = store;
  return {
    ...(isStore(store) ? beyondNarrow(store) : {}),
    remember: (userId, fact, opts) => store.remember(userId, fact, opts),
    recall: (userId, query, opts) => store.recall(userId, query, opts),
    forget: (userId, factId) => store.forget(userId, factId),
    list: (userId, opts) => store.list(userId, opts),
    ...(forgetAll === undefined ? {} : { forgetAll: (userId: string) => forgetAll.call(store, userId) }),
    middlewareFor: (spec) => middlewareFor(store, spec, options),
    drain: (opts) => drainWork(store, opts),
  };
}

/** What a store of this package has beside a narrow one: without it, middleware would take it for one. */
const beyondNarrow = (
  store: UserMemoryStore,
): Omit<UserMemoryStore, keyof UserMemory | "middlewareFor" | "drain"> => ({
  get: (userId, factId) => store.get(userId, factId),
  update: (userId, factId, changes) => store.update(userId, factId, changes),
  review: store.review,
  explain: (userId, factId, query) => store.explain(userId, factId, query),
  audit: (userId) => store.audit(userId),
  verifyAudit: (userId) => store.verifyAudit(userId),
  mark: (userId) => store.mark(userId),
  queue: store.queue,
  close: () => store.close(),
});

/**
 * Sets the user memory of the whole process: that of every run, and of every middleware, that wasn't given one of its own.
 * A narrow store is wrapped by {@link asUserMemory}. `undefined` takes it away; then `remembers` does nothing. Throws a
 * `TypeError` for what is no user memory.
 */
export function setUserMemory(memory: UserMemory | undefined): void {
  if (memory !== undefined) checkStore(memory);
  fillSlot(memory === undefined || isLinked(memory) ? memory : asUserMemory(memory));
}

function checkStore(store: UserMemory): void {
  if (isUserMemory(store)) return;
  throw new TypeError(
    "Invalid user memory: expected an object with remember(), recall(), forget() and list().",
  );
}
