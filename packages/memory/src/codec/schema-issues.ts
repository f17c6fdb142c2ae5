import type * as z from "zod";
import type { MemoryIssue } from "../errors.ts";

export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");

/** What zod found, without the values that it found it in. `path` is relative, e.g. `.tls.ca[0]`. */
export function schemaIssues(error: z.ZodError): MemoryIssue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: formatPath([...issue.path, key]),
        expected: "no such field",
      }));
    }
    return { path: formatPath(issue.path), expected: issue.message.replace(/^.*expected /, "") };
  });
}

/** Parses options of a factory or wrapper. Throws a `TypeError` that names the field and never the value. */
export function parseOptions<T>(schema: z.ZodType<T>, options: unknown, what: string): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw optionsError(what, parsed.error);
}

export function optionsError(what: string, error: z.ZodError): TypeError {
  const lines = schemaIssues(error).map(({ path, expected }) => {
    const name = path === "" ? "the whole" : path.replace(/^\./, "");
    return `${name}: expected ${expected}`;
  });
  return new TypeError(`Invalid ${what}: ${lines.join("; ")}.`);
}
