/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Checks whether the value is a JSON object, and neither `null` nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value itself if it is an object, and `{}` for any other value. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Returns the value itself if it is a list, and `[]` for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns a field's value if it is a string, and `undefined` for any other value. */
export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns those of the named fields that are neither `undefined` nor `null`. */
export const picked = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])));

/** Parses JSON. Returns `undefined` if the text isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
