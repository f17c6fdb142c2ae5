/** A schema of options, as far as it matters here: the names of its fields. */
interface OptionsSchema {
  readonly shape: Readonly<Record<string, unknown>>;
}

/**
 * Options as a plain object whose functions are called on what the application gave: it may be an instance of a class, with
 * methods. Of such an instance the fields that the schema knows are taken, of anything else all; what isn't an object is
 * given back as it is, for the schema to refuse.
 */
export function boundOptions<T>({ shape }: OptionsSchema, given: T): T {
  if (typeof given !== "object" || given === null) return given;
  const fields = given as Readonly<Record<string, unknown>>;
  const bound: Record<string, unknown> = isPlain(given) ? { ...given } : {};
  for (const name of Object.keys(shape)) {
    const value = fields[name];
    if (value !== undefined) bound[name] = typeof value === "function" ? value.bind(given) : value;
  }
  return bound as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
