/** Arguments that an approval can't be bound to. Says where and what, and nothing of their content. */
export class UnboundArguments extends Error {
  override readonly name = "UnboundArguments";
  constructor(path: string, what: string) {
    super(`${path === "" ? "they are" : `${path} is`} ${what}`);
  }
}

export interface EncodingOptions {
  /** Writes the keys of objects in order, so that values that differ in nothing else have the same text. */
  readonly sorted: boolean;
}

const MAX_DEPTH = 200;

type Tagged = string | number | boolean | null | readonly Tagged[];

/**
 * Parsed arguments as text, from which {@link decodeArgumentsText} makes the same again. It tells apart what JSON doesn't:
 * `Date`, `Map`, `Set`, `URL`, bigint, `undefined` in a list, `NaN`, `-0`. A field that is `undefined` is as if it weren't
 * there, and the order of keys makes no difference where they are `sorted`; that of a `Map` or a `Set` does. Throws
 * {@link UnboundArguments} for what can't be compared: functions, symbols, instances of other classes, cycles.
 */
export const encodeArguments = (args: unknown, options: EncodingOptions): string =>
  JSON.stringify(toTagged(args, { ...options, path: "", around: [] }));

interface At extends EncodingOptions {
  readonly path: string;
  /** The objects that it lies in. */
  readonly around: readonly object[];
}

/** What JSON holds stands for itself; everything else, lists and objects among it, is a list that begins with a tag. */
function toTagged(value: unknown, at: At): Tagged {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : ["number", numberText(value)];
    case "bigint":
      return ["bigint", String(value)];
    case "undefined":
      return ["undefined"];
    case "object":
      return value === null ? null : objectToTagged(value, at);
    default:
      throw new UnboundArguments(at.path, `a ${typeof value}`);
  }
}

const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

function objectToTagged(value: object, at: At): Tagged {
  if (at.around.length > MAX_DEPTH) throw new UnboundArguments(at.path, "nested too deeply");
  if (at.around.includes(value)) throw new UnboundArguments(at.path, "part of itself");
  const around = [...at.around, value];
  const inside = (part: unknown, step: string) => toTagged(part, { ...at, path: at.path + step, around });
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype)
    return ["array", ...listToTagged(value as readonly unknown[], at, inside)];
  if (prototype === Object.prototype || prototype === null)
    return ["object", ...fieldsToTagged(value, at, inside)];
  if (Object.keys(value).length > 0) throw new UnboundArguments(at.path, "an instance of a class");
  if (value instanceof Date && prototype === Date.prototype) {
    return ["date", Number.isNaN(value.getTime()) ? null : value.getTime()];
  }
  if (value instanceof URL && prototype === URL.prototype) return ["url", value.href];
  if (value instanceof Map && prototype === Map.prototype) {
    return ["map", ...Array.from(value, ([key, part]) => [inside(key, ".<key>"), inside(part, ".<entry>")])];
  }
  if (value instanceof Set && prototype === Set.prototype) {
    return ["set", ...Array.from(value, (part) => inside(part, ".<entry>"))];
  }
  throw new UnboundArguments(at.path, "an instance of a class");
}

type Inside = (part: unknown, step: string) => Tagged;

function listToTagged(value: readonly unknown[], { path }: At, inside: Inside): readonly Tagged[] {
  if (Reflect.ownKeys(value).length !== value.length + 1) {
    throw new UnboundArguments(path, "a list with holes or with fields of its own");
  }
  return value.map((part, index) => inside(part, `[${index}]`));
}

function fieldsToTagged(value: object, { path, sorted }: At, inside: Inside): readonly Tagged[] {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw new UnboundArguments(path, "an object with symbols as keys");
  }
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  if (sorted) fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([key, part]) => [key, inside(part, `.${key}`)]);
}

/** The inverse of {@link encodeArguments}. Throws for any other text. */
export const decodeArgumentsText = (text: string): unknown => fromTagged(JSON.parse(text));

function fromTagged(tagged: unknown): unknown {
  if (!Array.isArray(tagged)) return tagged;
  const [tag, ...parts] = tagged as readonly unknown[];
  switch (tag) {
    case "array":
      return parts.map(fromTagged);
    case "object":
      // fromEntries defines properties, so that a key `__proto__` stays a key.
      return Object.fromEntries(pairsOf(parts).map(([key, part]) => [String(key), fromTagged(part)]));
    case "map":
      return new Map(pairsOf(parts).map(([key, part]) => [fromTagged(key), fromTagged(part)]));
    case "set":
      return new Set(parts.map(fromTagged));
    case "date":
      return new Date(parts[0] === null ? Number.NaN : Number(parts[0]));
    case "url":
      return new URL(String(parts[0]));
    case "bigint":
      return BigInt(String(parts[0]));
    case "number":
      return Number(parts[0]);
    case "undefined":
      return undefined;
    default:
      throw new TypeError("these are no encoded arguments");
  }
}

function pairsOf(parts: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  if (parts.every((part) => Array.isArray(part) && part.length === 2)) {
    return parts as readonly (readonly [unknown, unknown])[];
  }
  throw new TypeError("these are no encoded arguments");
}
