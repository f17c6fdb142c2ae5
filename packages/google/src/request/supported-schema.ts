import { isObject } from "@jaf/model-http";

/** The same schema in the keywords that Gemini knows: it ignores `const`, and reads an `enum` of one. */
export function supportedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(supportedSchema);
  if (!isObject(schema)) return schema;
  const { const: constant, ...rest } = schema;
  const entries = Object.entries(rest).map(([keyword, value]) => [keyword, within(keyword, value)]);
  const written = Object.fromEntries(entries);
  return typeof constant === "string" ? { ...written, enum: [constant] } : { ...schema, ...written };
}

/** Names of properties are no keywords, and values of an `enum` no schemas. */
function within(keyword: string, value: unknown): unknown {
  if (keyword === "properties" || keyword === "$defs")
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, supportedSchema(inner)]))
      : value;
  return ["enum", "default", "examples", "required"].includes(keyword) ? value : supportedSchema(value);
}
