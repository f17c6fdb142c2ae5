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

/** For input whose own top level may throw when it is read. */
export function guarded<T>(path: string, encode: () => Checked<T>): Checked<T> {
  try {
    return encode();
  } catch (thrown) {
    return { ok: false, issues: [unstorable(path, thrown)] };
  }
}

// What a caller's getter or proxy threw may quote content: nothing of it is kept.
export const unstorable = (path: string, thrown: unknown): MemoryIssue =>
  thrown instanceof UnstorableValue
    ? { path: `${path}${thrown.path}`, expected: thrown.expected }
    : { path, expected: "data that can be read: reading it threw" };

export function pushIssue(issues: MemoryIssue[], issue: MemoryIssue | undefined): void {
  if (issue !== undefined) issues.push(issue);
}

/** What is wrong with an object of named fields, or `undefined`. */
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

/** What is misspelt must not pass for left out. */
export const unknownFieldIssues = (path: string, value: object, known: readonly string[]): MemoryIssue[] =>
  Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: `${path}.${field}`, expected: "no such field" }));

// Options whose checks are no schema: pure functions are asked for each turn, and in programs without zod. The words are those
// of the schemas.

/** What a value is, in the words of an error; nothing of it is quoted. */
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

/** Whole numbers that JavaScript tells apart. */
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

/** Names what is wrong, e.g. `Invalid retry options: maxAttempts: expected number to be >=1.`, and never quotes a value. */
export function optionsError(what: string, issues: readonly MemoryIssue[]): TypeError {
  const lines = issues.map(({ path, expected }) => {
    const name = path === "" ? "the whole" : path.replace(/^\./, "");
    return `${name}: expected ${expected}`;
  });
  return new TypeError(`Invalid ${what}: ${lines.join("; ")}.`);
}

/** Throws an {@link optionsError} if there is an issue. */
export function refuseOptions(what: string, issues: readonly (MemoryIssue | undefined)[]): void {
  if (issues.every((issue) => issue === undefined)) return;
  throw optionsError(
    what,
    issues.filter((issue) => issue !== undefined),
  );
}

/** Throws an {@link optionsError} for what has no fields. */
export function optionFields(what: string, options: unknown): Fields {
  if (isFields(options)) return options;
  throw optionsError(what, [expectedType("", "object", options)]);
}

const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");

/** The part of a schema's message that follows "expected". */
function expectedBy(message: string): string {
  const [, expected] = /^(?:[^\n]*?\b)?expected (.+)$/s.exec(message) ?? [];
  if (expected !== undefined) return expected;
  const [, kind] = /^Invalid (.+)$/s.exec(message) ?? [];
  if (kind === undefined) return `another value (${message})`; // A sentence of the schema's author.
  if (kind === "input") return "another value";
  return kind.startsWith("string: ") ? `a string: ${kind.slice(8)}` : `a valid ${kind}`;
}

export interface SchemaIssue extends MemoryIssue {
  /** The first step of the path; absent for the whole. */
  readonly field?: PropertyKey;
}

/** The issues that zod found, without values. `path` is relative, e.g. `.tls.ca[0]`. */
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
 * Parses a configuration, or options of a factory or wrapper. Throws a `TypeError` that names what is wrong, e.g.
 * `Invalid retry options: maxAttempts: expected number to be >=1.`, and never contains a value.
 */
export function parseOptions<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw optionsError(what, schemaIssues(parsed.error));
}
