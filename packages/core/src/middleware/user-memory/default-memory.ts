import type { RunUserMemory } from "./remembers.ts";

/**
 * On the global object, so that the ES module and the CommonJS module share it, which a process may both load, and so that
 * `@jaf/user-memory` can set it without importing the engine.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: RunUserMemory | undefined };

const EXPECTED =
  "expected a user memory with middlewareFor(); make one of your store by asUserMemory(store) of @jaf/user-memory";

/**
 * Sets the user memory of the process, for every run and agent client whose configuration has no `userMemory`. `undefined` removes
 * it; then `remembers` has no effect. It is stored as `globalThis[Symbol.for("@jaf/user-memory")]`, where `setUserMemory` of
 * `@jaf/user-memory` puts any store. Throws a `TypeError` if it isn't a {@link RunUserMemory}.
 */
export function setRunUserMemory(memory: RunUserMemory | undefined): void {
  slots[SLOT] = memory === undefined ? undefined : checkUserMemory(memory, "user memory");
}

/** The user memory of the process. `undefined`: none is set. Throws a `TypeError` if something else was put there. */
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
