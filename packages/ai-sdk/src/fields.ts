/** An object with unknown fields, from a model or a client. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Returns a field's value if it is a string, and `undefined` for any other value. */
export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns those of the named fields that are neither `undefined` nor `null`. */
export function pick(fields: Fields, names: readonly string[]): Fields {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (fields[name] != null) picked[name] = fields[name];
  return picked;
}
