import type { UserMemoryError, UserMemoryErrorCode } from "@jaf/user-memory";
import { HttpFailure } from "./failure.ts";

/** By its name: the package isn't loaded where there are no facts. */
const isUserMemoryError = (thrown: unknown): thrown is UserMemoryError =>
  thrown instanceof Error && thrown.name === "UserMemoryError" && "code" in thrown && "retryable" in thrown;

/** What a store of facts rejected with, as a failure; `undefined`: it was something else. */
export function factsFailure(thrown: unknown): HttpFailure | undefined {
  if (!isUserMemoryError(thrown)) return undefined;
  const { code, message, retryable } = thrown;
  return failureOf(code, { message, retryable, cause: thrown });
}

interface Told {
  readonly message: string;
  readonly retryable: boolean;
  readonly cause: unknown;
}

function failureOf(code: UserMemoryErrorCode, { message, retryable, cause }: Told): HttpFailure {
  switch (code) {
    case "invalid":
      return new HttpFailure("invalid-request", message);
    case "erased":
    case "forgotten":
    case "full":
      return new HttpFailure("changed", message, { retryable });
    case "busy":
    case "unavailable":
    case "storage":
    case "embedding":
      return new HttpFailure("unavailable", "The facts can't be used at the moment.", { retryable, cause });
  }
}
