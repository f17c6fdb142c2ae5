import { inspect, isDeepStrictEqual } from "node:util";

const SHOWN_DIFFERENCES = 10;
/** The maximum length of a text that is shown whole. */
const LONG_TEXT = 120;
const BEFORE = 30;
const BEHIND = 60;

type Fields = Readonly<Record<string, unknown>>;

interface Matcher {
  readonly asymmetricMatch: (actual: unknown) => boolean;
}

interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const isMatcher = (value: unknown): value is Matcher =>
  typeof value === "object" &&
  value !== null &&
  "asymmetricMatch" in value &&
  typeof value.asymmetricMatch === "function";

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns an object's own field, even if its name is `__proto__`. */
const fieldOf = (fields: Fields, key: string): unknown => Object.getOwnPropertyDescriptor(fields, key)?.value;

const pathTo = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

function* differencesOf(expected: unknown, actual: unknown, path = ""): Generator<Difference> {
  if (isMatcher(expected) ? expected.asymmetricMatch(actual) : isDeepStrictEqual(expected, actual)) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      yield { path: `${path}.length`, expected: expected.length, actual: actual.length };
    }
    for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
      yield* differencesOf(expected[index], actual[index], `${path}[${index}]`);
    }
  } else if (isFields(expected) && isFields(actual) && !isMatcher(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      yield* differencesOf(fieldOf(expected, key), fieldOf(actual, key), pathTo(path, key));
    }
  } else {
    yield { path, expected, actual };
  }
}

const show = (value: unknown): string => {
  const text = inspect(value, {
    depth: 3,
    breakLength: Number.POSITIVE_INFINITY,
    maxStringLength: LONG_TEXT,
  });
  return text.length > 2 * LONG_TEXT ? `${text.slice(0, 2 * LONG_TEXT)} ...` : text;
};

function around(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + BEHIND);
  return `${start > 0 ? "... " : ""}${JSON.stringify(text.slice(start, end))}${end < text.length ? " ..." : ""}`;
}

function describe({ path, expected, actual }: Difference): string {
  const at = path === "" ? "" : `at ${path.replace(/^\./, "")}: `;
  if (typeof expected !== "string" || typeof actual !== "string") {
    return `${at}expected ${show(expected)}, observed ${show(actual)}`;
  }
  if (Math.max(expected.length, actual.length) <= LONG_TEXT) {
    return `${at}expected ${JSON.stringify(expected)}, observed ${JSON.stringify(actual)}`;
  }
  let first = 0;
  while (expected[first] === actual[first]) first += 1;
  const lengths = `from character ${first} of ${expected.length} and ${actual.length}`;
  return `${at}expected ${around(expected, first)}, observed ${around(actual, first)}, ${lengths}`;
}

/**
 * Returns one line for each difference of two values; `[]` if they are equal. A long text is only shown around the
 * first difference.
 */
export function describeDifferences(
  expected: unknown,
  actual: unknown,
  limit = SHOWN_DIFFERENCES,
): readonly string[] {
  const all = [...differencesOf(expected, actual)];
  const shown = all.slice(0, limit).map(describe);
  return all.length > limit ? [...shown, `and at ${all.length - limit} more places`] : shown;
}
