import { describeCause } from "@jaf/memory/adapter";
import { UserMemoryError, type UserMemoryErrorFields } from "./errors.ts";
import type { UserMemorySettings } from "./options.ts";

type Failure = Omit<UserMemoryErrorFields, "cause"> & { readonly cause: unknown };

/** Tells what was put up with. It never throws, and a cause shows its kind alone: what it says may quote a fact. */
export function tellError({ onError }: Pick<UserMemorySettings, "onError">, failure: Failure): void {
  const { name, code } = describeCause(failure.cause);
  const cause = { name, message: "left out", ...(code === undefined ? {} : { code }) };
  const error = new UserMemoryError({ ...failure, cause });
  try {
    if (onError === undefined)
      process.emitWarning(`User memory: ${error.message}`, { code: `JAF_${error.code.toUpperCase()}` });
    else onError(error);
  } catch {
    process.emitWarning("User memory: onError failed.");
  }
}
