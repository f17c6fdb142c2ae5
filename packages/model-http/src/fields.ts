/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Checks whether the value is a JSON object, and neither `null` nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value itself if it is an object, and `{}` for any other value. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Returns the value itself if it is a list, and `[]` for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Parses JSON. Returns `undefined` if the text isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
