import type { RunUserMemory } from "@jaf/core";

/** A fact about a user, as every store returns it. */
export interface MemoryEntry {
  readonly id: string;
  readonly userId: string;
  readonly fact: string;
  readonly tags?: readonly string[];
  /** Confidence in [0, 1]; absent where nobody said any. */
  readonly score?: number;
  readonly createdAt: Date;
  readonly updatedAt?: Date;
}

/**
 * Facts about users that travel across conversations. Narrow on purpose, so that anything from a substring match to a
 * vector database satisfies it; the stores of this package keep more, see {@link UserMemoryStore}. What fails rejects.
 */
export interface UserMemory {
  /** Keeps a fact. */
  remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ): Promise<MemoryEntry>;
  /** The facts that fit the query, best first. `tags`: those with at least one of them. */
  recall(
    userId: string,
    query: string,
    opts?: { readonly limit?: number; readonly tags?: readonly string[] },
  ): Promise<MemoryEntry[]>;
  /** Deletes a fact; it is no error if there is none, or if it is another user's. */
  forget(userId: string, factId: string): Promise<void>;
  /** The user's facts. `tags`: those with at least one of them. */
  list(
    userId: string,
    opts?: { readonly tags?: readonly string[]; readonly limit?: number },
  ): Promise<MemoryEntry[]>;
  /** Deletes everything about the user. */
  forgetAll?(userId: string): Promise<void>;
}

/** A user memory that a run can be given. */
export type LinkedUserMemory = UserMemory & RunUserMemory;

const METHODS = ["remember", "recall", "forget", "list"] as const;

export const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)[method] === "function";

/** Whether it has the methods of a user memory, all but the optional one. */
export const isUserMemory = (value: unknown): value is UserMemory =>
  METHODS.every((method) => hasMethod(value, method));

/** Whether a run can be given it, too. */
export const isLinked = (value: unknown): value is LinkedUserMemory =>
  isUserMemory(value) && hasMethod(value, "middlewareFor");

/**
 * On the global object, under a name that is no single package's: the engine reads it without knowing this package, and the
 * ES module and the CommonJS one, which a process may both load, share it.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: unknown };

/** The user memory of the process, which `setUserMemory` set; `undefined` if there is none. */
export function getUserMemory(): LinkedUserMemory | undefined {
  const memory = slots[SLOT];
  return isLinked(memory) ? memory : undefined;
}

export function fillSlot(memory: LinkedUserMemory | undefined): void {
  slots[SLOT] = memory;
}
