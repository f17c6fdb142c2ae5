import { createContext, runInContext } from "node:vm";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as z from "zod";

/**
 * A JSON Schema as a zod schema, or the problem if the JSON Schema is invalid. The zod schema validates values by the JSON
 * Schema, and models get the JSON Schema itself.
 */
export type CompiledSchema =
  | { readonly ok: true; readonly schema: z.ZodType<unknown> }
  | { readonly ok: false; readonly problem: string };

const DIALECTS: Readonly<Record<string, "draft-07" | "2020-12">> = {
  "http://json-schema.org/draft-07/schema": "draft-07",
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
};

const OPTIONS: Options = {
  allErrors: true,
  strictTypes: false,
  strictRequired: false,
  inlineRefs: false,
  logger: false,
};

/** Time limits in milliseconds: for the compilation of a schema, and for the validation of a value. */
const COMPILE_MS = 2_000;
const CHECK_MS = 500;

/** Maximum number of issues that a validation reports. */
const MAX_ISSUES = 20;

/**
 * Compiles a JSON Schema of draft-07 (the default) or 2020-12, as its `$schema` says. References must stay within the
 * schema. Unknown keywords and formats are problems, because they would validate nothing.
 */
export function compileSchema(json: Readonly<Record<string, unknown>>): CompiledSchema {
  const { $schema, ...rest } = json;
  const dialect = dialectOf($schema);
  if (dialect === undefined) return { ok: false, problem: "$schema: expected draft-07 or 2020-12" };
  if (rest["$async"] !== undefined) return { ok: false, problem: "$async isn't supported" };
  try {
    const compiled = runWithTimeout(() => {
      const ajv = dialect === "2020-12" ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
      addFormats.default(ajv);
      const validate = ajv.compile(rest);
      // An endless self-reference overflows the stack with any value.
      validate(null);
      validate({});
      return validate;
    }, COMPILE_MS);
    if (!compiled.ok) return { ok: false, problem: "the schema takes too long to compile; simplify it" };
    return { ok: true, schema: toZod(compiled.value, rest) };
  } catch (thrown) {
    return { ok: false, problem: problemOf(thrown) };
  }
}

function dialectOf(uri: unknown): "draft-07" | "2020-12" | undefined {
  if (uri === undefined) return "draft-07";
  return typeof uri === "string" ? DIALECTS[uri.replace(/#$/, "")] : undefined;
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return "the schema is too deep, or refers to itself without end";
  const message = thrown instanceof Error ? thrown.message : "it can't be compiled";
  return message.startsWith("can't resolve reference")
    ? `${message}; only references within the schema are followed, e.g. "#/$defs/name"`
    : message;
}

function toZod(validate: ValidateFunction, json: Readonly<Record<string, unknown>>): z.ZodType<unknown> {
  const schema = z.unknown().superRefine((value, context) => {
    const checked = runWithTimeout(() => validate(value), CHECK_MS);
    if (!checked.ok) context.addIssue({ code: "custom", message: "takes too long to check" });
    if (!checked.ok || checked.value) return;
    for (const { instancePath, message } of (validate.errors ?? []).slice(0, MAX_ISSUES)) {
      context.addIssue({ code: "custom", path: pathOf(instancePath), message: message ?? "is invalid" });
    }
  });
  // zod adds the metadata to the JSON Schema that it generates.
  return schema.meta(json);
}

/** Returns the keys in a JSON pointer (RFC 6901). */
const pathOf = (pointer: ErrorObject["instancePath"]): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

type TimeLimited<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/**
 * Runs a synchronous function with a time limit. The limit can also stop a regular expression in the middle of a match.
 * Returns `{ ok: false }` if the function exceeds the limit. Throws the errors that the function throws.
 */
function runWithTimeout<T>(compute: () => T, timeMs: number): TimeLimited<T> {
  try {
    const value = runInContext("compute()", createContext({ compute }), { timeout: timeMs }) as T;
    return { ok: true, value };
  } catch (thrown) {
    if (isTimeout(thrown)) return { ok: false };
    throw thrown;
  }
}

/**
 * Returns whether an error means that the time limit was exceeded. Doesn't use `instanceof Error`, because the error
 * comes from another JavaScript context.
 */
const isTimeout = (thrown: unknown): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  "code" in thrown &&
  thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
