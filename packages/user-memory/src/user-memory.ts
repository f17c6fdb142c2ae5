import type { RunUserMemory } from "@jaf/core";

/** A fact about a user, as every store returns it. */
export interface MemoryEntry {
  readonly id: string;
  readonly userId: string;
  readonly fact: string;
  readonly tags?: readonly string[];
  /** Confidence in [0, 1]. Absent if unknown. */
  readonly score?: number;
  readonly createdAt: Date;
  readonly updatedAt?: Date;
}

/**
 * Facts about users, shared by all their conversations. The interface is small, so you can implement it with anything from
 * a substring match to a vector database. The stores of this package keep more, see {@link UserMemoryStore}. Methods reject
 * on failure.
 */
export interface UserMemory {
  /** Stores a fact. */
  remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ): Promise<MemoryEntry>;
  /** Returns the facts that match the query, best first. `tags`: only facts with at least one of them. */
  recall(
    userId: string,
    query: string,
    opts?: { readonly limit?: number; readonly tags?: readonly string[] },
  ): Promise<MemoryEntry[]>;
  /** Deletes a fact. Does nothing if the user has no such fact. */
  forget(userId: string, factId: string): Promise<void>;
  /** Returns the user's facts. `tags`: only facts with at least one of them. */
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

/** Returns the user memory of the process, set by `setUserMemory`, or `undefined`. */
export function getUserMemory(): LinkedUserMemory | undefined {
  const memory = slots[SLOT];
  return isLinked(memory) ? memory : undefined;
}

export function fillSlot(memory: LinkedUserMemory | undefined): void {
  slots[SLOT] = memory;
}
