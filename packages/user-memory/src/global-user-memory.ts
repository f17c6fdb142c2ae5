import { isLinked, type LinkedUserMemory } from "./user-memory-guards.ts";

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
