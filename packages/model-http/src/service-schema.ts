import { type Fields, fieldsOf, isObject, listOf } from "./fields.ts";

/**
 * Returns a JSON Schema that services accept, for the same values:
 *
 * - If the root refers to a definition, it becomes that definition. Services read the root's type.
 * - `enum` and `const` get the type of their values. OpenAI's strict mode and Kimi refuse schemas without a type.
 *
 * zod writes both, but other libraries and people don't.
 */
export function serviceSchema(schema: Fields): Fields {
  const { $ref, ...rest } = schema;
  const definition = typeof $ref === "string" && $ref.startsWith("#/") ? valueAt(schema, $ref) : undefined;
  return typed(isObject(definition) ? { ...definition, ...rest } : schema);
}

/** Returns the value at a JSON pointer (RFC 6901) in a URI fragment. */
const valueAt = (schema: Fields, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (node, step) => fieldsOf(node)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
      schema,
    );

function typed(schema: Fields): Fields {
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]);
  return { ...typeOfValues(schema), ...Object.fromEntries(entries) };
}

/** Keywords with values that aren't schemas, and with schemas by name. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

function within(keyword: string, value: unknown): unknown {
  if (VALUES.has(keyword)) return value;
  if (Array.isArray(value)) return value.map(typedIfSchema);
  if (!NAMED.has(keyword)) return typedIfSchema(value);
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, inner]) => [name, typedIfSchema(inner)]),
  );
}

const typedIfSchema = (value: unknown): unknown => (isObject(value) ? typed(value) : value);

function typeOfValues(schema: Fields): Fields {
  const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
  const types = [...new Set(values.map(typeOf))];
  return types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types };
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
