import type { JsonObject, JsonValue } from "@jaf/memory/adapter";

/**
 * Metadata as JSON texts. `run` has the fields that change with each run, `jsonb` the others; both have U+FFFD in place
 * of characters that the type jsonb refuses. `exact` has the changed fields, as JSON text of the name to JSON text of
 * the value; `undefined` if there are none.
 */
export interface MetadataTexts {
  readonly jsonb: string;
  readonly run: string;
  readonly exact: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns whether a field changes with each run: the trace, and the engine's fields, `jaf` and names such as `jafX`. An
 * index on them would slow down each append.
 */
const isRunField = (name: string): boolean => name === "traceId" || /^jaf($|[A-Z])/.test(name);

const REPLACEMENT = "\ufffd";

// `JSON.stringify` escapes NUL and unpaired surrogates, but no other surrogates. Each escape is matched as a whole, so
// an escaped backslash before a "u" stays.
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;
const UNFIT = /^\\u(?:0000|d[89a-f])/;

const toJsonb = (json: string): string =>
  json.replace(ESCAPE, (found) => (UNFIT.test(found) ? REPLACEMENT : found));

// In jsonb, a name with U+FFFD could also stand for another field.
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

/** Reverses {@link toMetadataTexts}, from the texts of the two columns. */
export function fromMetadataTexts(jsonb: string, exact: string | null | undefined): JsonObject {
  const metadata = JSON.parse(jsonb) as JsonObject;
  if (exact == null) return metadata;
  const texts = Object.entries(JSON.parse(exact) as Record<string, string>);
  const replaced = new Set(texts.map(([name]) => JSON.parse(toJsonb(name)) as string));
  const others = Object.entries(metadata).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([...others, ...texts.map(parseField)]);
}
