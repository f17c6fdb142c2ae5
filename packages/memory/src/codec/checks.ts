import type * as z from "zod";
import type { MemoryIssue } from "../contract/errors.ts";
import { type Fields, isFields, isPlainObject } from "../runtime/objects.ts";
import { UnstorableValue } from "./json.ts";

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: MemoryIssue[] };

export function checked<T>(issues: MemoryIssue[], value: () => T): Checked<T> {
  return issues.length === 0 ? { ok: true, value: value() } : { ok: false, issues };
}

/** Returns the result of `encode`. If `encode` throws (e.g. a getter of an argument), returns an issue for `path`. */
export function guarded<T>(path: string, encode: () => Checked<T>): Checked<T> {
  try {
    return encode();
  } catch (thrown) {
    return { ok: false, issues: [unstorable(path, thrown)] };
  }
}

// Returns the issue for a value that threw when it was read. The thrown error may come from a getter of the caller and
// quote content, so its text isn't kept.
export const unstorable = (path: string, thrown: unknown): MemoryIssue =>
  thrown instanceof UnstorableValue
    ? { path: `${path}${thrown.path}`, expected: thrown.expected }
    : { path, expected: "data that can be read: reading it threw" };

export function pushIssue(issues: MemoryIssue[], issue: MemoryIssue | undefined): void {
  if (issue !== undefined) issues.push(issue);
}

/** Returns an issue if the value isn't a plain object, otherwise `undefined`. */
export const objectIssue = (path: string, value: unknown): MemoryIssue | undefined =>
  isPlainObject(value) ? undefined : { path, expected: "a plain object" };

export function integerIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= minimum)) return undefined;
  return { path, expected: `a whole number from ${minimum}` };
}

export function dateIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (value === undefined || (value instanceof Date && !Number.isNaN(value.getTime()))) return undefined;
  return { path, expected: "a valid Date" };
}

/** Returns an issue for each field of `value` that isn't in `known` (e.g. a misspelt option). */
export const unknownFieldIssues = (path: string, value: object, known: readonly string[]): MemoryIssue[] =>
  Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: `${path}.${field}`, expected: "no such field" }));

// The following functions check options without a zod schema. They are for functions that run in each turn, and that
// programs without zod use. Their issues have the same words as the issues of zod.

/** Returns the name of a value's type for an error text. For `NaN` and `Infinity`, returns the value as text. */
function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isFinite(value) ? "number" : String(value);
  if (Array.isArray(value)) return "array";
  return value instanceof Date ? "Date" : typeof value;
}

export const expectedType = (path: string, type: string, value: unknown): MemoryIssue => ({
  path,
  expected: `${type}, received ${typeNameOf(value)}`,
});

/** Returns an issue if the value isn't a safe integer of at least `minimum`, otherwise `undefined`. */
export function integerOptionIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return expectedType(path, "number", value);
  if (!Number.isInteger(value)) return expectedType(path, "int", value);
  if (value < minimum) return { path, expected: `number to be >=${minimum}` };
  if (value <= Number.MAX_SAFE_INTEGER) return undefined;
  return { path, expected: `int to be <=${Number.MAX_SAFE_INTEGER}` };
}

export const typeIssue = (
  path: string,
  value: unknown,
  type: "string" | "boolean",
): MemoryIssue | undefined => (typeof value === type ? undefined : expectedType(path, type, value));

/**
 * Creates an error that lists the issues, for the options that `what` names (e.g. `retry options`). The text quotes no
 * values: `Invalid retry options: maxAttempts: expected number to be >=1.`
 */
export function optionsError(what: string, issues: readonly MemoryIssue[]): TypeError {
  const lines = issues.map(({ path, expected }) => {
    const name = path === "" ? "the whole" : path.replace(/^\./, "");
    return `${name}: expected ${expected}`;
  });
  return new TypeError(`Invalid ${what}: ${lines.join("; ")}.`);
}

/** Throws an {@link optionsError} if at least one of the issues isn't `undefined`. */
export function refuseOptions(what: string, issues: readonly (MemoryIssue | undefined)[]): void {
  if (issues.every((issue) => issue === undefined)) return;
  throw optionsError(
    what,
    issues.filter((issue) => issue !== undefined),
  );
}

/** Returns the options if they are an object, otherwise throws an {@link optionsError}. */
export function optionFields(what: string, options: unknown): Fields {
  if (isFields(options)) return options;
  throw optionsError(what, [expectedType("", "object", options)]);
}

const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");

/** Converts the message of a zod issue into the text after the word "expected" (e.g. `number to be >=1`). */
function expectedBy(message: string): string {
  const [, expected] = /^(?:[^\n]*?\b)?expected (.+)$/s.exec(message) ?? [];
  if (expected !== undefined) return expected;
  const [, kind] = /^Invalid (.+)$/s.exec(message) ?? [];
  if (kind === undefined) return `another value (${message})`; // The schema author's own message.
  if (kind === "input") return "another value";
  return kind.startsWith("string: ") ? `a string: ${kind.slice(8)}` : `a valid ${kind}`;
}

export interface SchemaIssue extends MemoryIssue {
  /** The first key of the issue's path. Absent if the issue concerns the whole value. */
  readonly field?: PropertyKey;
}

/**
 * Converts a zod error into issues that contain no values. The `path` of an issue begins with a field of the checked
 * value (e.g. `.tls.ca[0]`).
 */
export function schemaIssues(error: z.ZodError): SchemaIssue[] {
  return error.issues.flatMap((issue) => {
    const place = (path: readonly PropertyKey[]) => ({
      path: formatPath(path),
      ...(path[0] === undefined ? {} : { field: path[0] }),
    });
    if (issue.code !== "unrecognized_keys") {
      return [{ ...place(issue.path), expected: expectedBy(issue.message) }];
    }
    return issue.keys.map((key) => ({ ...place([...issue.path, key]), expected: "no such field" }));
  });
}

/**
 * Parses a configuration, or the options of a factory or wrapper, with a zod schema. Returns the parsed value. If
 * `options` is invalid, throws a `TypeError` that names the invalid fields but quotes no values (e.g. `Invalid retry
 * options: maxAttempts: expected number to be >=1.`). `what` is the name of the options.
 *
 * @example
 * ```ts
 * import { parseOptions } from "@jaf/memory/adapter";
 * import * as z from "zod";
 *
 * const schema = z.strictObject({ file: z.string().min(1) });
 *
 * export const parseMyConfig = (config: unknown) => parseOptions(schema, config, "file provider configuration");
 * ```
 */
export function parseOptions<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const issues = isInstance(options)
    ? [{ path: "", expected: "a plain object. A client is the argument after it" }]
    : schemaIssues(parsed.error);
  throw optionsError(what, issues);
}

/** Whether a value is an instance of a class, e.g. a client, whose fields would only fill the message. */
function isInstance(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}
