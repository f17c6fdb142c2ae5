import type { JsonObject, JsonValue } from "@jaf/memory/adapter";

/**
 * Metadata as JSON texts, in which U+FFFD stands for each character that the type jsonb refuses. `run` has the fields
 * that change with each run, and `jsonb` the others. `exact` maps the JSON text of each field's name to the JSON text
 * of its value, but only for fields with a replaced character.
 */
export interface MetadataTexts {
  readonly jsonb: string;
  readonly run: string;
  readonly exact: Readonly<Record<string, string>> | undefined;
}

/** Returns whether a metadata field changes with each run: `traceId`, `jaf`, or a name like `jafX`. */
// An index that included these fields would slow down each append.
const isRunField = (name: string): boolean => name === "traceId" || /^jaf($|[A-Z])/.test(name);

const REPLACEMENT = "\ufffd";

// `ESCAPE` matches any escape in JSON text as a whole, so an escaped backslash before a "u" stays. `UNFIT` matches an
// escape that jsonb refuses: `JSON.stringify` escapes NUL and unpaired surrogates, but no other surrogates.
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;
const UNFIT = /^\\u(?:0000|d[89a-f])/;

const toJsonb = (json: string): string =>
  json.replace(ESCAPE, (found) => (UNFIT.test(found) ? REPLACEMENT : found));

// Returns whether jsonb holds a field exactly. A name that contains U+FFFD could also stand for another name.
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

/**
 * Converts stored metadata back into the metadata that was written. `jsonb` has the fields of the columns `metadata`
 * and `run_metadata`. `exact` is the column `exact_metadata`.
 */
export function fromMetadataTexts(jsonb: string, exact: string | null | undefined): JsonObject {
  const metadata = JSON.parse(jsonb) as JsonObject;
  if (exact == null) return metadata;
  const texts = Object.entries(JSON.parse(exact) as Record<string, string>);
  const replaced = new Set(texts.map(([name]) => JSON.parse(toJsonb(name)) as string));
  const others = Object.entries(metadata).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([...others, ...texts.map(parseField)]);
}
