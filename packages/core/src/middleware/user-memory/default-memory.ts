import type { RunUserMemory } from "./remembers.ts";

/**
 * On the global object, under a name that is no single package's: the ES module and the CommonJS one, which a process may
 * both load, share it, and `@jaf/user-memory` sets it without knowing the engine.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: RunUserMemory | undefined };

const EXPECTED =
  "expected a user memory with middlewareFor(); make one of your store by asUserMemory(store) of @jaf/user-memory";

/**
 * Sets the user memory of the whole process: that of every run and agent client that wasn't given one of its own.
 * `undefined` takes it away; then `remembers` does nothing. It is kept as `globalThis[Symbol.for("@jaf/user-memory")]`.
 * Throws a `TypeError` for what is no user memory.
 */
export function setRunUserMemory(memory: RunUserMemory | undefined): void {
  slots[SLOT] = memory === undefined ? undefined : checkUserMemory(memory, "user memory");
}

/** The user memory of the process, `undefined` if none was set. Throws a `TypeError` if another put something else there. */
export const getUserMemory = (): RunUserMemory | undefined =>
  slots[SLOT] === undefined ? undefined : checkUserMemory(slots[SLOT], "user memory of the process");

/** The user memory as it is. Throws a `TypeError` that begins with `what` for anything else. */
export function checkUserMemory(memory: RunUserMemory, what: string): RunUserMemory {
  const given: unknown = memory;
  const isOne =
    typeof given === "object" &&
    given !== null &&
    "middlewareFor" in given &&
    typeof given.middlewareFor === "function";
  if (isOne) return memory;
  throw new TypeError(`Invalid ${what}: ${EXPECTED}.`);
}
