import { fromStandardSchema } from "@jaf/core";
import { utf8Of } from "@jaf/memory/internal";
import { fromJsonSchema, type JsonSchemaType } from "@modelcontextprotocol/client";
import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import type * as z from "zod";

export type Args = Readonly<Record<string, unknown>>;

export type CheckedSchema =
  | { readonly ok: true; readonly parameters: z.ZodType<Args> }
  /** `reason`: a text for the developer. It quotes nothing of the schema. */
  | { readonly ok: false; readonly reason: string };

export interface SchemaChecks {
  readonly schemaBytes: number;
  readonly validator: AjvJsonSchemaValidator;
}

const MAX_DEPTH = 32;
/** How many schemas may be reached through references. A validator visits each, and references can double them. */
const MAX_REACHED = 10_000;

class BadSchema extends Error {}

/**
 * Checks the JSON Schema of a tool's arguments, and returns a zod schema that the model sees as the server wrote it.
 *
 * The server's schema is untrusted, and a validator runs it on each call. So what could keep the process busy isn't
 * checked here: patterns, formats, and whole schemas that refer to themselves. The server checks the arguments anyway.
 */
export function checkSchema(schema: unknown, { schemaBytes, validator }: SchemaChecks): CheckedSchema {
  try {
    if (!isObject(schema) || schema["type"] !== "object") throw new BadSchema('its type isn\'t "object"');
    checkNesting(schema, 0);
    const text = JSON.stringify(schema);
    const size = utf8Of(text).length;
    if (size > schemaBytes) throw new BadSchema(`it has ${size} bytes, more than ${schemaBytes}`);
    const written = JSON.parse(text) as Args & JsonSchemaType;
    const checked = isSearchable(written) ? withoutCostlyChecks(written, text) : { type: "object" as const };
    const parsing = fromJsonSchema<Args>(checked as JsonSchemaType, validator);
    return { ok: true, parameters: fromStandardSchema(parsing, { jsonSchema: written }) };
  } catch (thrown) {
    const reason = thrown instanceof BadSchema ? thrown.message : "it isn't a valid JSON Schema";
    return { ok: false, reason: `its schema can't be used: ${reason}` };
  }
}

const isObject = (value: unknown): value is Args =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws for schemas that are too deep or that refer to other documents. */
function checkNesting(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new BadSchema(`it is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, part] of Object.entries(value)) {
    if (REFERENCES.has(key) && typeof part === "string" && !part.startsWith("#"))
      throw new BadSchema("it refers to another document");
    checkNesting(part, depth + 1);
  }
}

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "example", "required"]);
/** Regular expressions can take exponential time, `$async` makes a validator that accepts everything. */
const DROPPED: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format", "$async", "$id"]);
/** Without the patterns, these would refuse what a pattern allows. */
const DROPPED_WITH_PATTERNS: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

function withoutCostlyChecks(schema: unknown, text: string): unknown {
  const hasPatterns = text.includes('"patternProperties"');
  const isDropped = (key: string) => DROPPED.has(key) || (hasPatterns && DROPPED_WITH_PATTERNS.has(key));
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const fields = Object.entries(value).filter(([key]) => !isDropped(key));
    return Object.fromEntries(fields.map(([key, part]) => [key, copyOf(key, part)]));
  };
  const copyOf = (key: string, part: unknown): unknown => {
    if (DATA.has(key)) return part;
    if (!MAPS.has(key) || !isObject(part)) return copy(part);
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, copy(each)]));
  };
  return copy(schema);
}

/** Whether a validator is done with the schema after a bounded number of steps. Throws for references to nothing. */
function isSearchable(root: Args): boolean {
  const sizes = new Map<object, number>();
  const under = new Set<object>();
  // Infinity: the schema refers to itself.
  const sizeOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (under.has(value)) return Number.POSITIVE_INFINITY;
    under.add(value);
    let size = 1;
    for (const [key, part] of Object.entries(value))
      size += REFERENCES.has(key) && typeof part === "string" ? sizeOf(target(key, part)) : sizeOf(part);
    under.delete(value);
    sizes.set(value, size);
    return size;
  };
  const target = (key: string, reference: string): unknown => {
    if (key !== "$ref" || (reference !== "#" && !reference.startsWith("#/"))) return root;
    return pointedAt(root, reference);
  };
  return sizeOf(root) <= MAX_REACHED;
}

function pointedAt(root: unknown, reference: string): unknown {
  let value = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      throw new BadSchema("it refers to something that it doesn't have");
    value = (value as Args)[key];
  }
  return value;
}
