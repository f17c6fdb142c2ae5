import { UserMemoryError } from "../errors.ts";

export const erased = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "erased",
    operation,
    message:
      "Everything about this user was forgotten while the call, or what it was made of, was under way. Nothing was written. What the user has said since can be remembered by a new call; of what was extracted from it, provenance.saidAt has to say when.",
    retryable: false,
  });

export const forgotten = (): UserMemoryError =>
  new UserMemoryError({
    code: "forgotten",
    operation: "remember",
    message:
      "This was forgotten or rejected, and is extracted from what was said before that, or isn't the user's word; so it stays forgotten. If the user says it again, remember it with a newer provenance.saidAt, or without provenance.extractor.",
    retryable: false,
  });

export const full = (what: string, limit: string): UserMemoryError =>
  new UserMemoryError({
    code: "full",
    operation: "remember",
    message: `This user has as many ${what} as limits.${limit} allows. Forget or review some, or raise the limit.`,
    retryable: false,
  });

export const busy = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "busy",
    operation,
    message: "Others changed this user's facts at the same time, again and again. Try again.",
    retryable: true,
  });
