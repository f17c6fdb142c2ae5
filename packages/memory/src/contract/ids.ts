import type { MemoryIssue } from "./errors.ts";

/**
 * The id of a trace: the runs of one request. At run time, a trace id is a string. The compiler doesn't accept a trace
 * id as a {@link RunId}.
 */
export type TraceId = string & { readonly _brand: "TraceId" };

/** The id of one run of an agent. */
export type RunId = string & { readonly _brand: "RunId" };

/** Converts a string into a trace id without checking it. */
export const createTraceId = (id: string): TraceId => id as TraceId;

/** Converts a string into a run id without checking it. */
export const createRunId = (id: string): RunId => id as RunId;

/** Returns a new trace id: a random UUID. */
export const generateTraceId = (): TraceId => createTraceId(crypto.randomUUID());

/** Returns a new run id: a random UUID. */
export const generateRunId = (): RunId => createRunId(crypto.randomUUID());

/**
 * The maximum length of an id in UTF-16 units. An id of this length fits a database column of type `VARCHAR(255)`. Such
 * a column counts code points, and a text never has more code points than UTF-16 units.
 */
export const MAX_ID_LENGTH = 255;

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether UTF-8, Postgres and Redis all store the text unchanged: it contains no NUL and no unpaired surrogate. */
export const isPortableText = (text: string): boolean =>
  !text.includes("\0") && !UNPAIRED_SURROGATE.test(text);

/**
 * Checks an id (of a conversation, user, trace or message) or an idempotency key by the rule of all providers: 1 to 255
 * UTF-16 units without NUL and unpaired surrogates. Returns `undefined` if the id is valid, otherwise an issue for
 * `path`. The issue doesn't contain the id, because an id may identify a person.
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
