import { describeCause } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/engine";
import { UserMemoryError, type UserMemoryErrorFields } from "./errors.ts";
import type { UserMemorySettings } from "./options.ts";

type Failure = Omit<UserMemoryErrorFields, "cause"> & { readonly cause: unknown };

const type = "JAFUserMemoryWarning";

/** Reports a failure that the call goes on without. Never throws. Of the cause, only its kind is kept: its message may quote a fact. */
export function reportError({ onError }: Pick<UserMemorySettings, "onError">, failure: Failure): void {
  const { name, code } = describeCause(failure.cause);
  const cause = { name, message: "left out", ...(code === undefined ? {} : { code }) };
  const error = new UserMemoryError({ ...failure, cause });
  try {
    if (onError === undefined)
      warn(`User memory: ${error.message}`, { type, code: `JAF_${error.code.toUpperCase()}` });
    else onError(error);
  } catch {
    warn("User memory: onError failed.", { type });
  }
}
