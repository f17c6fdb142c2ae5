import type { MemoryIssue } from "../errors.ts";

/** In UTF-16 units, so that an id also fits the documented `VARCHAR(255)`, which counts code points. */
export const MAX_ID_LENGTH = 255;

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Text that UTF-8, Postgres and Redis all keep as it is: no NUL, no unpaired surrogate. */
export const isPortableText = (text: string): boolean =>
  !text.includes("\0") && !UNPAIRED_SURROGATE.test(text);

/**
 * What is wrong with a conversation id, user id, trace id or idempotency key, or `undefined`: the rule that every
 * provider applies. The id itself is not repeated: it may identify a person.
 */
export function idIssue(path: string, id: unknown): MemoryIssue | undefined {
  if (typeof id !== "string") return { path, expected: `a string, not ${id === null ? "null" : typeof id}` };
  if (id.length === 0) return { path, expected: "a non-empty string" };
  if (id.length > MAX_ID_LENGTH) {
    return { path, expected: `at most ${MAX_ID_LENGTH} characters, not ${id.length}` };
  }
  if (!isPortableText(id)) return { path, expected: "no NUL character and no unpaired surrogate" };
  return undefined;
}
