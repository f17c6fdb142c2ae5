import { expect } from "vitest";
import { UserMemoryError, type UserMemoryErrorCode } from "../../errors.ts";
import type { FactStatus, UserFact } from "../../fact.ts";
import type { UserMemoryStore } from "../../store.ts";

export const EVERY_STATUS: readonly FactStatus[] = ["active", "quarantined", "superseded"];

export const texts = (facts: readonly { readonly fact: string }[]): readonly string[] =>
  facts.map(({ fact }) => fact);

export const ids = (facts: readonly { readonly id: string }[]): readonly string[] =>
  facts.map(({ id }) => id);

/** Returns all facts of a user, newest first. */
export const everything = (memory: UserMemoryStore, user: string): Promise<UserFact[]> =>
  memory.list(user, { status: EVERY_STATUS });

/**
 * Checks that a call rejects with a `UserMemoryError` that has this code, and that the error's message contains none of
 * the texts in `secrets`. Returns the error.
 */
export async function expectRefusal(
  call: Promise<unknown>,
  code: UserMemoryErrorCode,
  ...secrets: readonly string[]
): Promise<UserMemoryError> {
  const error: unknown = await call.then(
    () => expect.fail(`expected a refusal with code "${code}", and the call was done`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserMemoryError)) throw error;
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/./);
  expect(error.operation).toMatch(/./);
  for (const secret of secrets) expect(error.message).not.toContain(secret);
  return error;
}

/** Waits until the clock shows another time, and returns that time. */
export async function nextMoment(): Promise<Date> {
  const now = Date.now();
  while (Date.now() <= now) await new Promise((resolve) => setTimeout(resolve, 1));
  return new Date();
}

/** Returns a fact without `updatedAt`, the time of its last change. */
export const lasting = ({ updatedAt: _, ...rest }: UserFact) => rest;

/** Returns a promise, and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
