import type { MemoryIssue } from "../errors.ts";
import { UnstorableValue } from "./json.ts";

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: MemoryIssue[] };

export function checked<T>(issues: MemoryIssue[], value: () => T): Checked<T> {
  return issues.length === 0 ? { ok: true, value: value() } : { ok: false, issues };
}

// What a caller's getter or proxy threw may quote content: nothing of it is kept.
export const unstorable = (path: string, thrown: unknown): MemoryIssue =>
  thrown instanceof UnstorableValue
    ? { path: `${path}${thrown.path}`, expected: thrown.expected }
    : { path, expected: "data that can be read: reading it threw" };

/** For input whose own top level may throw when it is read. */
export function guarded<T>(path: string, encode: () => Checked<T>): Checked<T> {
  try {
    return encode();
  } catch (thrown) {
    return { ok: false, issues: [unstorable(path, thrown)] };
  }
}

export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What is wrong with an object of named fields, or `undefined`. */
export const objectIssue = (path: string, value: unknown): MemoryIssue | undefined =>
  isPlainObject(value) ? undefined : { path, expected: "a plain object" };

export function pushIssue(issues: MemoryIssue[], issue: MemoryIssue | undefined): void {
  if (issue !== undefined) issues.push(issue);
}

export function integerIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= minimum)) return undefined;
  return { path, expected: `a whole number from ${minimum}` };
}

/** What is misspelt must not pass for left out. */
export const unknownFieldIssues = (path: string, value: object, known: readonly string[]): MemoryIssue[] =>
  Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: `${path}.${field}`, expected: "no such field" }));

export function dateIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (value === undefined || (value instanceof Date && !Number.isNaN(value.getTime()))) return undefined;
  return { path, expected: "a valid Date" };
}
