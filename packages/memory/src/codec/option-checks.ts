import type { MemoryIssue } from "../errors.ts";

// Options whose checks are no schema: pure functions are asked for each turn, and in programs without zod. The words are those
// of the schemas.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a value is, in the words of an error; nothing of it is quoted. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isFinite(value) ? "number" : String(value);
  if (Array.isArray(value)) return "array";
  return value instanceof Date ? "Date" : typeof value;
}

export const expectedKind = (path: string, kind: string, value: unknown): MemoryIssue => ({
  path,
  expected: `${kind}, received ${kindOf(value)}`,
});

/** Whole numbers that JavaScript tells apart. */
export function integerOptionIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return expectedKind(path, "number", value);
  if (!Number.isInteger(value)) return expectedKind(path, "int", value);
  if (value < minimum) return { path, expected: `number to be >=${minimum}` };
  if (value <= Number.MAX_SAFE_INTEGER) return undefined;
  return { path, expected: `int to be <=${Number.MAX_SAFE_INTEGER}` };
}

export const kindIssue = (
  path: string,
  value: unknown,
  kind: "string" | "boolean",
): MemoryIssue | undefined => (typeof value === kind ? undefined : expectedKind(path, kind, value));

/** What is misspelt must not pass for left out. */
export const strayIssues = (options: Fields, known: ReadonlySet<string>): readonly MemoryIssue[] =>
  Object.keys(options)
    .filter((field) => !known.has(field))
    .map((field) => ({ path: `.${field}`, expected: "no such field" }));

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
  throw optionsError(what, [expectedKind("", "object", options)]);
}
