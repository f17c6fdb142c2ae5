import type { MemoryIssue } from "./errors.ts";

/** Groups related runs, e.g. across handoffs. A string at run time, distinct from {@link RunId} at compile time. */
export type TraceId = string & { readonly _brand: "TraceId" };

/** Identifies one execution of the engine. */
export type RunId = string & { readonly _brand: "RunId" };

/** Marks a string as a trace id. Doesn't check it. */
export const createTraceId = (id: string): TraceId => id as TraceId;

/** Marks a string as a run id. Doesn't check it. */
export const createRunId = (id: string): RunId => id as RunId;

/** Returns a new trace id: a random UUID. */
export const generateTraceId = (): TraceId => createTraceId(crypto.randomUUID());

/** Returns a new run id: a random UUID. */
export const generateRunId = (): RunId => createRunId(crypto.randomUUID());

/**
 * The maximum length of an id in UTF-16 units. An id also fits the documented `VARCHAR(255)`, which counts code points.
 */
export const MAX_ID_LENGTH = 255;

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether UTF-8, Postgres and Redis all store the text unchanged: no NUL and no unpaired surrogates. */
export const isPortableText = (text: string): boolean =>
  !text.includes("\0") && !UNPAIRED_SURROGATE.test(text);

/**
 * Checks a conversation id, user id, trace id or idempotency key by the rule of all providers. Returns the issue, or
 * `undefined` if the id is valid. The issue doesn't contain the id, because it may identify a person.
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
