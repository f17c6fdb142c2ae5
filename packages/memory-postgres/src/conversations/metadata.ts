import type { JsonObject, JsonValue } from "@jaf/memory/adapter";

/**
 * Metadata as JSON texts. `run` has the fields that change with each run, and `jsonb` has the other fields. In both,
 * U+FFFD stands for each character that the type jsonb refuses. `exact` has only the fields that `jsonb` and `run`
 * don't hold exactly, because a character was replaced. It is an object that maps the JSON text of each name to the
 * JSON text of the value. `exact` is `undefined` if there are no such fields.
 */
export interface MetadataTexts {
  readonly jsonb: string;
  readonly run: string;
  readonly exact: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns whether a metadata field changes with each run: `traceId`, `jaf`, and names such as `jafX`. An index that
 * included these fields would slow down each append.
 */
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
 * Converts stored texts of {@link toMetadataTexts} back into metadata. `jsonb`: the merged texts `jsonb` and `run`.
 * `exact`: the text of the column `exact_metadata`, or `null`.
 */
export function fromMetadataTexts(jsonb: string, exact: string | null | undefined): JsonObject {
  const metadata = JSON.parse(jsonb) as JsonObject;
  if (exact == null) return metadata;
  const texts = Object.entries(JSON.parse(exact) as Record<string, string>);
  const replaced = new Set(texts.map(([name]) => JSON.parse(toJsonb(name)) as string));
  const others = Object.entries(metadata).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([...others, ...texts.map(parseField)]);
}
