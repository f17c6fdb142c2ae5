import { drainWork } from "../background-work.ts";
import { isStore, type UserMemoryStore } from "../store.ts";
import { fillSlot, isLinked, isUserMemory, type LinkedUserMemory, type UserMemory } from "../user-memory.ts";
import { type MemoryLinkOptions, middlewareFor } from "./middleware.ts";

/** Your own user memory, wrapped by {@link asUserMemory}, so that runs can use it. */
export interface AdaptedUserMemory extends LinkedUserMemory {
  /**
   * Waits until the facts that this process is extracting are stored, but not longer than `timeoutMs` milliseconds.
   * Never rejects.
   */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Wraps a user memory with the methods `remember`, `recall`, `forget` and `list`, so that runs can use it. Wrap a store
 * of this package to configure injection and extraction.
 *
 * A user memory that doesn't store trust only gets two kinds of facts: the user's own words, and facts that a model
 * inferred from these words. Inferred facts have the tag `"inferred"`. Facts that would wait for review are dropped.
 * Throws a `TypeError` if `store` lacks one of the four methods.
 *
 * @example
 * ```ts
 * import { asUserMemory, MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
 *
 * const memory = new MemoryUserMemory();
 * setUserMemory(
 *   asUserMemory(memory, {
 *     inject: { timeoutMs: 500 },
 *     extract: { threshold: 0.8, onError: (error) => console.error(error) },
 *   }),
 * );
 * ```
 */
export function asUserMemory(store: UserMemoryStore, options?: MemoryLinkOptions): UserMemoryStore;
/**
 * Wraps a user memory with the methods `remember`, `recall`, `forget` and `list`, so that runs can use it. A user
 * memory that doesn't store trust only gets two kinds of facts: the user's own words, and facts that a model inferred
 * from these words. Inferred facts have the tag `"inferred"`. Facts that would wait for review are dropped. Throws a
 * `TypeError` if `store` lacks one of the four methods.
 *
 * @example
 * ```ts
 * import { asUserMemory, setUserMemory, type UserMemory } from "@jaf/user-memory";
 *
 * declare const vectorStore: UserMemory;
 *
 * setUserMemory(asUserMemory(vectorStore, { inject: { timeoutMs: 500 }, extract: { maxFacts: 3 } }));
 * ```
 */
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
    middlewareFor: (spec, observer) => middlewareFor(store, { spec, observer }, options),
    drain: (opts) => drainWork(store, opts),
  };
}

/** Returns the methods of `UserMemoryStore` that other user memories don't have. */
// By these methods, the middleware recognizes a store of this package.
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
 * Sets the user memory of the process. Runs and middleware use this user memory if no other is passed to them. A user
 * memory without the method `middlewareFor` is wrapped by {@link asUserMemory}. `undefined` removes the user memory of
 * the process. Without a user memory, `Agent.remembers` does nothing. Throws a `TypeError` if `memory` isn't a user
 * memory.
 *
 * @example
 * ```ts
 * import type { Agent } from "@jaf/core";
 * import { MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
 *
 * setUserMemory(new MemoryUserMemory());
 *
 * const support: Agent<{ userId?: string }, string> = {
 *   name: "support",
 *   instructions: () => "You are a support agent.",
 *   remembers: ({ userId }) => ({ user: userId, extract: "verbatim" }),
 * };
 * ```
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
