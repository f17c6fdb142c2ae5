import type { ErrorCause } from "@jaf/memory";
import { describeCause, present } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/engine";
import { UserMemoryError, type UserMemoryErrorFields } from "./errors.ts";
import { notify } from "./notify.ts";

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

/** Reports a failure that the call goes on without. Never throws. */
export function reportError({ onError }: Reporting<UserMemoryError>, failure: Failure): void {
  const error = new UserMemoryError({ ...failure, cause: kindOf(failure.cause) });
  if (onError === undefined)
    warn(`User memory: ${error.message}`, { type, code: `JAF_${error.code.toUpperCase()}` });
  else notify(onError, error);
}

/** Reports a failure of extraction, which nobody waits for; by default its kind alone. Never throws. */
export function reportFailure({ onError }: Reporting<unknown>, thrown: unknown): void {
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  if (onError === undefined)
    warn(`User memory: facts could not be extracted (${kind}). See onError.`, {
      type,
      code: "JAF_EXTRACTION",
    });
  else notify(onError, thrown);
}
