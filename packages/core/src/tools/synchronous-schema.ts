import type * as z from "zod";

type Fields = Readonly<Record<string, unknown>>;

const known = new WeakMap<object, boolean>();

/**
 * Whether a schema is known to hold nothing asynchronous: then a synchronous parse gives what an asynchronous one would, in
 * a fraction of the time, as zod compiles only the first. A function of the application's (a refinement, a transform) may
 * return a promise, so no schema with one is known to hold none.
 */
export function isSynchronous(schema: z.ZodType): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = holdsNothingAsync(schema, new Set());
  known.set(schema, found);
  return found;
}

/** Those that make others without end, when they are looked at, aren't looked at to their end. */
const MAX_SCHEMAS = 1_000;

/** `seen`: schemas may hold themselves. */
function holdsNothingAsync(schema: unknown, seen: Set<unknown>): boolean {
  if (seen.has(schema)) return true;
  if (seen.size === MAX_SCHEMAS) return false;
  seen.add(schema);
  const def = defOf(schema);
  const parts = def && partsOf(def);
  if (parts === undefined || !listOf(def?.["checks"]).every(isSynchronousCheck)) return false;
  return parts.every((part) => part === undefined || part === null || holdsNothingAsync(part, seen));
}

/** How zod describes a schema or a check to other libraries: https://zod.dev/library-authors. */
function defOf(of: unknown): Fields | undefined {
  if (!isFields(of)) return undefined;
  const { _zod: internals } = of;
  return isFields(internals) && isFields(internals["def"]) ? internals["def"] : undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The schemas that one of this type holds; `undefined` where a function of the application's decides. */
function partsOf(def: Fields): readonly unknown[] | undefined {
  switch (def["type"]) {
    case "string":
      // A format of the application's.
      return "fn" in def ? undefined : [];
    case "number":
    case "boolean":
    case "bigint":
    case "date":
    case "null":
    case "undefined":
    case "void":
    case "any":
    case "unknown":
    case "never":
    case "nan":
    case "enum":
    case "literal":
    case "template_literal":
      return [];
    case "object":
      return [...Object.values(def["shape"] ?? {}), def["catchall"]];
    case "array":
      return [def["element"]];
    case "tuple":
      return [...listOf(def["items"]), def["rest"]];
    case "record":
      return [def["keyType"], def["valueType"]];
    case "union":
      return listOf(def["options"]);
    case "intersection":
      return [def["left"], def["right"]];
    case "optional":
    case "nullable":
    case "nonoptional":
    case "default":
    case "prefault":
    case "readonly":
      return [def["innerType"]];
    default:
      return undefined;
  }
}

const CHECKS: ReadonlySet<unknown> = new Set([
  ...["less_than", "greater_than", "multiple_of", "number_format", "bigint_format"],
  ...["max_size", "min_size", "size_equals", "max_length", "min_length", "length_equals"],
  ...["string_format", "overwrite"],
]);

function isSynchronousCheck(check: unknown): boolean {
  const def = defOf(check);
  return def !== undefined && CHECKS.has(def["check"]) && !("fn" in def);
}
