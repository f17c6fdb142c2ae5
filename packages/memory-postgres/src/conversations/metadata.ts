import type { JsonObject, JsonValue } from "@jaf/memory/adapter";

/**
 * Metadata as texts of JSON: `jsonb` and, of the fields that change with each run, `run`, both as the type jsonb takes them,
 * with U+FFFD in the place of what it doesn't take; and `exact`, with those fields that this changes, as JSON text of the
 * name to JSON text of the value. `undefined`: it changes none.
 */
export interface MetadataTexts {
  readonly jsonb: string;
  readonly run: string;
  readonly exact: Readonly<Record<string, string>> | undefined;
}

/**
 * The trace, and what an engine keeps under `jaf` and names that go on with a capital: others with each run, so that an
 * index of them would cost each append.
 */
const isRunField = (name: string): boolean => name === "traceId" || /^jaf($|[A-Z])/.test(name);

const REPLACEMENT = "\ufffd";

// `JSON.stringify` escapes NUL and unpaired surrogates, and no other surrogates. Each escape is looked at as a whole, so
// that the text of a backslash and a "u" stays what it is.
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;
const UNFIT = /^\\u(?:0000|d[89a-f])/;

const toJsonb = (json: string): string =>
  json.replace(ESCAPE, (found) => (UNFIT.test(found) ? REPLACEMENT : found));

// A name that holds U+FFFD itself could be that of another field, as jsonb has it.
const isExact = (name: string, value: string): boolean =>
  !name.includes(REPLACEMENT) && toJsonb(name) === name && toJsonb(value) === value;

export function toMetadataTexts(metadata: JsonObject): MetadataTexts {
  const fields = Object.entries(metadata);
  const [jsonb, run] = [false, true].map((isRun) =>
    JSON.stringify(Object.fromEntries(fields.filter(([name]) => isRunField(name) === isRun))),
  ) as [string, string];
  if (![jsonb, run].some((text) => text.includes("\\") || text.includes(REPLACEMENT)))
    return { jsonb, run, exact: undefined };
  const exact = fields
    .map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)] as const)
    .filter(([name, value]) => !isExact(name, value));
  return {
    jsonb: toJsonb(jsonb),
    run: toJsonb(run),
    exact: exact.length === 0 ? undefined : Object.fromEntries(exact),
  };
}

const parseField = ([name, value]: readonly [string, string]): readonly [string, JsonValue] => [
  JSON.parse(name) as string,
  JSON.parse(value) as JsonValue,
];

/** The reverse of {@link toMetadataTexts}, of what the two columns hold. */
export function fromMetadataTexts(jsonb: string, exact: string | null | undefined): JsonObject {
  const metadata = JSON.parse(jsonb) as JsonObject;
  if (exact == null) return metadata;
  const texts = Object.entries(JSON.parse(exact) as Record<string, string>);
  const replaced = new Set(texts.map(([name]) => JSON.parse(toJsonb(name)) as string));
  const others = Object.entries(metadata).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([...others, ...texts.map(parseField)]);
}
