import type { ErrorCause } from "@jaf/memory";
import { callSafely, describeCause, present } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/engine";
import { UserMemoryError, type UserMemoryErrorFields } from "./errors.ts";

type Failure = Omit<UserMemoryErrorFields, "cause"> & { readonly cause: unknown };

interface Reporting<Failed> {
  readonly onError?: ((error: Failed) => unknown) | undefined;
}

const type = "JAFUserMemoryWarning";

/** The kind of a cause alone: what it says may quote a fact, or what was said. */
export function kindOf(thrown: unknown): ErrorCause {
  const { name, code } = describeCause(thrown);
  return { name, message: "left out", ...present({ code }) };
}

/** Tells `onError`. If that fails itself, a warning says so: otherwise no failure would ever be heard of. Never throws. */
export const tell = <Failed>(onError: (error: Failed) => unknown, error: Failed): void =>
  callSafely(
    () => onError(error),
    () => warn("User memory: onError failed.", { type }),
  );

/** Reports a failure that the call goes on without. Never throws. */
export function reportError({ onError }: Reporting<UserMemoryError>, failure: Failure): void {
  const error = new UserMemoryError({ ...failure, cause: kindOf(failure.cause) });
  if (onError !== undefined) tell(onError, error);
  else warn(`User memory: ${error.message}`, { type, code: `JAF_${error.code.toUpperCase()}` });
}

/** Reports a failure of extraction, which nobody waits for; by default its kind alone. Never throws. */
export function reportFailure({ onError }: Reporting<unknown>, thrown: unknown): void {
  if (onError !== undefined) {
    tell(onError, thrown);
    return;
  }
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  warn(`User memory: facts could not be extracted (${kind}). See onError.`, { type, code: "JAF_EXTRACTION" });
}
