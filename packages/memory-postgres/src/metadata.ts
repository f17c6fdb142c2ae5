import type { JsonObject, JsonValue } from "@jaf/memory/adapter";

/**
 * Metadata as two texts of JSON: `shown`, which jsonb takes, with U+FFFD in the place of what it doesn't; and `exact`, with
 * those fields that this changes, or whose keys jsonb would put in another order, as JSON text of the name to JSON text of the value. `undefined`: it changes none.
 */
export interface MetadataTexts {
  readonly shown: string;
  readonly exact: Readonly<Record<string, string>> | undefined;
}

const REPLACEMENT = "\ufffd";

// `JSON.stringify` escapes NUL and unpaired surrogates, and no other surrogates. Each escape is looked at as a whole, so
// that the text of a backslash and a "u" stays what it is.
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;
const UNFIT = /^\\u(?:0000|d[89a-f])/;

const toShown = (json: string): string =>
  json.replace(ESCAPE, (found) => (UNFIT.test(found) ? REPLACEMENT : found));

// A name that holds U+FFFD itself could be that of another field, as it is shown.
const isExact = (name: string, value: string): boolean =>
  !name.includes(REPLACEMENT) && toShown(name) === name && toShown(value) === value;

// jsonb orders keys by their length in bytes, then by the bytes.
const isBefore = (a: string, b: string): boolean =>
  (Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b))) < 0;

/** Whether jsonb would give the keys of an object in there in another order. */
function isReordered(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return (
    keys.some((key, at) => at > 0 && !isBefore(keys[at - 1] ?? "", key)) ||
    Object.values(value).some(isReordered)
  );
}

export function toMetadataTexts(metadata: JsonObject): MetadataTexts {
  const text = JSON.stringify(metadata);
  const shown = toShown(text);
  if (shown === text && !text.includes(REPLACEMENT) && !Object.values(metadata).some(isReordered))
    return { shown, exact: undefined };
  const exact = Object.entries(metadata)
    .map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)] as const)
    .filter(([name, value]) => !isExact(name, value) || isReordered(JSON.parse(value) as JsonValue));
  return { shown, exact: exact.length === 0 ? undefined : Object.fromEntries(exact) };
}

const parseField = ([name, value]: readonly [string, string]): readonly [string, JsonValue] => [
  JSON.parse(name) as string,
  JSON.parse(value) as JsonValue,
];

/** The reverse of {@link toMetadataTexts}, of what the two columns hold. */
export function fromMetadataTexts(shown: string, exact: string | null | undefined): JsonObject {
  const metadata = JSON.parse(shown) as JsonObject;
  if (exact == null) return metadata;
  const texts = Object.entries(JSON.parse(exact) as Record<string, string>);
  const replaced = new Set(texts.map(([name]) => JSON.parse(toShown(name)) as string));
  const others = Object.entries(metadata).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([...others, ...texts.map(parseField)]);
}
