import type { MemoryIssue } from "@jaf/memory";
import { idIssue, isPortableText } from "@jaf/memory/adapter";
import * as z from "zod";
import { UserMemoryError } from "./errors.ts";
import type { Trust } from "./fact.ts";
import type { UserMemoryLimits } from "./options.ts";

export const textSchema = (max: number, min = 1) =>
  z
    .string()
    .min(min, { error: `expected at least ${min} character` })
    .max(max, {
      error: `expected at most ${max} characters; store long texts elsewhere and remember only what matters`,
    })
    .refine(isPortableText, { error: "expected no NUL character and no unpaired surrogate" });

/** Returns the schema for the text of a fact. A text of only spaces is invalid. */
export const factSchema = ({ maxFactLength }: UserMemoryLimits) =>
  textSchema(maxFactLength).refine((text) => /\S/.test(text), { error: "expected more than spaces" });

export const tagsSchema = ({ maxTags, maxTagLength }: UserMemoryLimits) =>
  z
    .array(textSchema(maxTagLength))
    .max(maxTags, { error: `expected at most ${maxTags} tags` })
    .transform((tags): readonly string[] => [...new Set(tags)]);

/** The schema for tags to search for. Unknown tags are valid, but they find nothing. */
export const wantedTagsSchema = z.array(z.string()).readonly().optional();

export const trustSchema = z.enum([
  "stated",
  "confirmed",
  "inferred",
  "external",
] as const satisfies readonly Trust[]);

export const scoreSchema = z.number().min(0).max(1);

export const idSchema = textSchema(255);

/** The schema for a `Date`, converted into milliseconds since 1970. An invalid date gives `NaN`. */
export const dateSchema = z
  .custom<Date>((value) => value instanceof Date, { error: "expected a Date" })
  .transform((date) => date.getTime());

export function invalidInputError(operation: string, issues: readonly MemoryIssue[]): UserMemoryError {
  const shown = issues.slice(0, 5).map(({ path, expected }) => `${path}: expected ${expected}`);
  const message = `Invalid input of ${operation}: ${shown.join("; ")}.`;
  return new UserMemoryError({ code: "invalid", operation, message, retryable: false });
}

/**
 * Validates a value and returns the schema's output, e.g. with default values. If the value is invalid, throws a
 * `UserMemoryError` that names the invalid fields without their values.
 */
export function checkInput<T>(operation: string, schema: z.ZodType<T>, path: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: [path, ...issue.path.map(String)].join("."),
    expected:
      issue.code === "unrecognized_keys" ? "only known fields" : issue.message.replace(/^.*?expected /s, ""),
  }));
  throw invalidInputError(operation, issues);
}

/** Returns the user id if it is valid. Throws a `UserMemoryError` if it is invalid. */
export function checkUserId(operation: string, userId: unknown): string {
  const issue = idIssue("userId", userId);
  if (issue !== undefined) throw invalidInputError(operation, [issue]);
  return userId as string;
}

/** Returns a function that caches the results of `make`: it calls `make` only once for each `limits` object. */
export function perLimits<T>(make: (limits: UserMemoryLimits) => T): (limits: UserMemoryLimits) => T {
  const made = new WeakMap<UserMemoryLimits, { readonly value: T }>();
  return (limits) => {
    const known = made.get(limits) ?? { value: make(limits) };
    made.set(limits, known);
    return known.value;
  };
}
