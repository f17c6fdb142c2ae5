import type * as z from "zod";
import type { MemoryIssue } from "../errors.ts";
import { optionsError } from "./option-checks.ts";

export const formatPath = (path: readonly PropertyKey[]): string =>
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
