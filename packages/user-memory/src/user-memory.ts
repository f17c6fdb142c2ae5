import type { RunUserMemory } from "@jaf/core";

/** A fact about a user, as every store returns it. */
export interface MemoryEntry {
  /** The id of the fact, for `forget`. */
  readonly id: string;
  /** The id of the user. */
  readonly userId: string;
  /** The text. */
  readonly fact: string;
  /** Labels of the application. Upper and lower case differ. */
  readonly tags?: readonly string[];
  /** Confidence in [0, 1]. Absent if unknown. */
  readonly score?: number;
  /** When it was stored. */
  readonly createdAt: Date;
  /** When it was last changed, if ever. */
  readonly updatedAt?: Date;
}

/**
 * Facts about users, shared by all their conversations. The interface is small, so you can implement it with anything from
 * a substring match to a vector database. The stores of this package keep more, see {@link UserMemoryStore}. Methods reject
 * on failure.
 */
export interface UserMemory {
  /** Stores a fact and returns it. `score`: confidence in [0, 1]. */
  remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ): Promise<MemoryEntry>;
  /** Returns at most `limit` facts that match the query, best first. `tags`: only facts with at least one of them. */
  recall(
    userId: string,
    query: string,
    opts?: { readonly limit?: number; readonly tags?: readonly string[] },
  ): Promise<MemoryEntry[]>;
  /** Deletes a fact. Does nothing if the user has no such fact. */
  forget(userId: string, factId: string): Promise<void>;
  /** Returns at most `limit` facts of the user. `tags`: only facts with at least one of them. */
  list(
    userId: string,
    opts?: { readonly tags?: readonly string[]; readonly limit?: number },
  ): Promise<MemoryEntry[]>;
  /** Deletes everything about the user. */
  forgetAll?(userId: string): Promise<void>;
}

/** A user memory that runs can use. */
export type LinkedUserMemory = UserMemory & RunUserMemory;

const METHODS = ["remember", "recall", "forget", "list"] as const;

export const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)[method] === "function";

/** Whether a value has the required methods of a user memory. */
export const isUserMemory = (value: unknown): value is UserMemory =>
  METHODS.every((method) => hasMethod(value, method));

/** Whether a value is a user memory that runs can use. */
export const isLinked = (value: unknown): value is LinkedUserMemory =>
  isUserMemory(value) && hasMethod(value, "middlewareFor");

/**
 * A symbol on the global object. The engine reads it without a dependency on this package, and the ES module and the CommonJS
 * module share it if a process loads both.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: unknown };

/** Returns the user memory of the process, set by `setUserMemory`, or `undefined`. *
 * @example
 * ```ts
 * import { getUserMemory, MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
 *
 * if (getUserMemory() === undefined) setUserMemory(new MemoryUserMemory());
 * ```
 */
export function getUserMemory(): LinkedUserMemory | undefined {
  const memory = slots[SLOT];
  return isLinked(memory) ? memory : undefined;
}

export function fillSlot(memory: LinkedUserMemory | undefined): void {
  slots[SLOT] = memory;
}
