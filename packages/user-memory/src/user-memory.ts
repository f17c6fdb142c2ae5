import type { RunUserMemory } from "./run-types.ts";

/** A fact about a user, as every user memory returns it. */
export interface MemoryEntry {
  /** The id of the fact, for `forget`. */
  readonly id: string;
  /** The id of the user. */
  readonly userId: string;
  /** The text of the fact. */
  readonly fact: string;
  /** Labels of the fact, chosen by the application. Labels are case-sensitive. */
  readonly tags?: readonly string[];
  /** Confidence in the fact, from 0 to 1. Absent if unknown. */
  readonly score?: number;
  /** When the fact was stored. */
  readonly createdAt: Date;
  /** When the fact was last changed. Absent if it never was. */
  readonly updatedAt?: Date;
}

/**
 * Stores facts about users. All conversations of a user share the facts. The interface is small, so you can implement
 * it with anything from a substring match to a vector database. The stores of this package can do more, see {@link
 * UserMemoryStore}. Methods that fail must reject.
 */
export interface UserMemory {
  /** Stores a fact and returns it. `score` is the confidence in the fact, from 0 to 1. */
  remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ): Promise<MemoryEntry>;
  /**
   * Returns at most `limit` facts that match the query, best first. With `tags`, returns only facts with at least one
   * of these tags. `context` has the texts of the conversation before the query, oldest first: a hint that you may
   * ignore.
   */
  recall(
    userId: string,
    query: string,
    opts?: {
      readonly limit?: number;
      readonly tags?: readonly string[];
      readonly context?: readonly string[];
    },
  ): Promise<MemoryEntry[]>;
  /** Deletes a fact. Does nothing if the user has no such fact. */
  forget(userId: string, factId: string): Promise<void>;
  /** Returns at most `limit` facts of the user. With `tags`, returns only facts with at least one of these tags. */
  list(
    userId: string,
    opts?: { readonly tags?: readonly string[]; readonly limit?: number },
  ): Promise<MemoryEntry[]>;
  /** Deletes all facts and other data of the user. */
  forgetAll?(userId: string): Promise<void>;
}

/** A user memory that runs can use: its method `middlewareFor` makes the middleware for agents. */
export type LinkedUserMemory = UserMemory & RunUserMemory;

const METHODS = ["remember", "recall", "forget", "list"] as const;

export const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)[method] === "function";

/** Whether a value has the required methods of a user memory. */
export const isUserMemory = (value: unknown): value is UserMemory =>
  METHODS.every((method) => hasMethod(value, method));

/** Whether a value is a user memory that runs can use, because it has the method `middlewareFor`. */
export const isLinked = (value: unknown): value is LinkedUserMemory =>
  isUserMemory(value) && hasMethod(value, "middlewareFor");

/** The symbol under which the global object holds the user memory of the process. */
// So the engine finds the user memory without a dependency on this package. The ES module and the CommonJS module of
// this package share it.
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: unknown };

/**
 * Returns the user memory of the process, which `setUserMemory` sets. Returns `undefined` if none is set.
 *
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
