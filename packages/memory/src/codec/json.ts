import type { JsonValue } from "../contract/backend.ts";
import { base64Of, bytesIn, isUint8Array } from "../runtime/bytes.ts";
import { MAX_DEPTH } from "../runtime/depth.ts";

/**
 * Functions that encode values as JSON text and decode them without loss. A `Date` becomes `{ "$date": iso }`, a
 * `Uint8Array` `{ "$bytes": base64 }` and a `URL` `{ "$url": href }`: these objects are called tags. If the value
 * itself has a key with one of these names, the key gets another `$` in front (e.g. `$$date`). A `Buffer` is decoded as
 * a `Uint8Array`.
 */

/**
 * Thrown if a value can't be stored. `path` leads from the encoded value to the invalid value inside it (e.g.
 * `.meta[2]`).
 */
export class UnstorableValue extends Error {
  override readonly name = "UnstorableValue";
  constructor(
    readonly path: string,
    readonly expected: string,
  ) {
    super(`${path}: expected ${expected}`);
  }
}

const DATE_KEY = "$date";
const BYTES_KEY = "$bytes";
const URL_KEY = "$url";
const ESCAPABLE = /^\$+(?:date|bytes|url)$/;
const ESCAPED = /^\$\$+(?:date|bytes|url)$/;
const TAG = /"\$+(?:date|bytes|url)"/;

// The search for `$` comes first because it is several times as fast as the pattern.
/** Whether the JSON text may contain tags. */
export const mayHoldTags = (text: string): boolean => text.includes("$") && TAG.test(text);

/** The maximum length of a path in an error, in characters. */
const SHOWN_PATH = 200;

/**
 * Returns the error with `step` (an index or a key) added to the beginning of its path. Returns an error that isn't an
 * {@link UnstorableValue} unchanged.
 */
function inside(thrown: unknown, step: string | number | undefined): unknown {
  // A path is only built when an error occurs, because building every path takes longer than the check.
  if (!(thrown instanceof UnstorableValue) || step === undefined) return thrown;
  const path = `${typeof step === "number" ? `[${step}]` : `.${step}`}${thrown.path}`;
  const shown = path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path;
  return new UnstorableValue(shown, thrown.expected);
}

/**
 * Whether the value must be converted into tags before `JSON.stringify`. Throws {@link UnstorableValue} if JSON can't
 * represent the value.
 */
function needsTags(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return false;
    case "number":
      if (!Number.isFinite(value)) throw new UnstorableValue("", "a finite number");
      return false;
    case "object":
      return value !== null && objectNeedsTags(value, depth);
    default:
      throw new UnstorableValue("", `a JSON value, a Date, a URL or a Uint8Array, not ${typeof value}`);
  }
}

function objectNeedsTags(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH) throw new UnstorableValue("", `at most ${MAX_DEPTH} levels, and no cycle`);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new UnstorableValue("", "a valid Date");
    return true;
  }
  if (value instanceof URL || isUint8Array(value)) return true;
  if ("toJSON" in value && typeof value.toJSON === "function") {
    throw new UnstorableValue("", "plain data, without a toJSON method");
  }
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw new UnstorableValue("", "string keys, no symbols");
  }
  return Array.isArray(value) ? itemsNeedTags(value, depth + 1) : fieldsNeedTags(value, depth + 1);
}

function itemsNeedTags(items: readonly unknown[], depth: number): boolean {
  let tags = false;
  let index = 0;
  try {
    for (; index < items.length; index++) if (needsTags(items[index], depth)) tags = true;
  } catch (thrown) {
    throw inside(thrown, index);
  }
  if (Object.keys(items).length !== items.length) {
    throw new UnstorableValue("", "an array without named properties");
  }
  return tags;
}

function fieldsNeedTags(fields: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(fields);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new UnstorableValue("", "a plain object, not a class instance");
  }
  let tags = false;
  let step: string | undefined;
  try {
    for (const [key, field] of Object.entries(fields)) {
      step = key;
      if (field !== undefined && needsTags(field, depth)) tags = true;
      if (ESCAPABLE.test(key)) tags = true;
    }
  } catch (thrown) {
    throw inside(thrown, step);
  }
  return tags;
}

function tag(value: unknown): unknown {
  if (value instanceof Date) return { [DATE_KEY]: value.toISOString() };
  if (value instanceof URL) return { [URL_KEY]: value.href };
  if (isUint8Array(value)) return { [BYTES_KEY]: base64Of(value) };
  if (Array.isArray(value)) return value.map(tag);
  if (typeof value !== "object" || value === null) return value;
  // `fromEntries` defines properties, so a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [ESCAPABLE.test(key) ? `$${key}` : key, tag(field)]),
  );
}

/** Returns the object for a tag (e.g. the `Date` for `$date`), or `undefined` if the tag's text is invalid. */
function untagged(key: string, text: string): Date | Uint8Array | URL | undefined {
  switch (key) {
    case DATE_KEY:
      return new Date(text);
    case BYTES_KEY:
      return bytesIn(text);
    case URL_KEY:
      return URL.canParse(text) ? new URL(text) : undefined;
    default:
      return undefined;
  }
}

function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && typeof only[1] === "string") {
    const tagged = untagged(only[0], only[1]);
    if (tagged !== undefined) return tagged;
  }
  return Object.fromEntries(
    entries.map(([key, field]) => [ESCAPED.test(key) ? key.slice(1) : key, untag(field)]),
  );
}

/**
 * Returns a copy of the value that consists of plain JSON values and tags. Throws {@link UnstorableValue} if the value
 * can't be stored.
 */
export function toJsonValue(value: unknown): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  return JSON.parse(encodeJson(value)) as JsonValue;
}

/** Returns the value as JSON text with tags. Throws {@link UnstorableValue} if the value can't be stored. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(needsTags(value, 0) ? tag(value) : value);
}

/** Parses JSON text and converts its tags back into objects. Throws `SyntaxError` for invalid JSON. */
export function decodeJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldTags(text) ? untag(value) : value;
}

/** Converts the result of {@link toJsonValue} back into the original value. */
export function fromJsonValue(value: unknown): unknown {
  return untag(value);
}

/**
 * Freezes a value and everything inside it, except `Date`, `URL` and `Uint8Array`, which can't be frozen. Only pass a
 * value that no other code uses yet.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // Freezing bytes throws.
  if (isUint8Array(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") deepFreeze(item);
  } else {
    for (const key in value) {
      const field = value[key];
      // Only own fields are frozen: inherited values belong to other code.
      if (typeof field === "object" && Object.hasOwn(value, key)) deepFreeze(field);
    }
  }
  return Object.freeze(value);
}
