import type { ErrorCause } from "../contract/errors.ts";

/** Thrown by `notWritten`. It is recognised by its name, because it may come from another copy of this module. */
class NotWritten extends Error {
  override readonly name = "NotWritten";
}

/**
 * Throws the error for a function of a backend that its author still has to write. `what` names the function and its
 * file. A provider over such a backend returns a `MemoryStorageError`. The conformance kit fails one rule for each such
 * function, and skips all other rules that wait for it.
 *
 * @example
 * ```ts
 * import { type MemoryBackend, notWritten } from "@jaf/memory/adapter";
 *
 * export const stats: MemoryBackend["stats"] = async () => notWritten("`stats` in src/backend.ts");
 * ```
 */
export function notWritten(what: string): never {
  throw new NotWritten(what);
}

/** Returns what isn't written, if `notWritten` threw the error. */
export const unwrittenPart = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? unwrittenCause(thrown) : undefined;

/** Returns what isn't written, if the error has this cause. */
export const unwrittenCause = ({ name, message }: ErrorCause): string | undefined =>
  name === "NotWritten" ? message : undefined;
