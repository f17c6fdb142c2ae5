import type { RunUserMemory } from "@jaf/core";
import type { UserMemoryStore } from "./store.ts";
import type { UserMemory } from "./user-memory.ts";

/** A user memory that a run can be given. */
export type LinkedUserMemory = UserMemory & RunUserMemory;

const METHODS = ["remember", "recall", "forget", "list"] as const;

const has = (value: unknown, method: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)[method] === "function";

/** Whether it has the methods of a user memory, all but the optional one. */
export const isUserMemory = (value: unknown): value is UserMemory =>
  METHODS.every((method) => has(value, method));

/** Whether a run can be given it, too. */
export const isLinked = (value: unknown): value is LinkedUserMemory =>
  isUserMemory(value) && has(value, "middlewareFor");

/** Whether it keeps trust, provenance and a queue, as the stores of this package do. */
export const isStore = (memory: UserMemory): memory is UserMemoryStore =>
  has(memory, "mark") && "queue" in memory && typeof memory.queue === "object";
