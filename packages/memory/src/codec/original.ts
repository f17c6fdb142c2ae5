import { sha256 } from "#digest";
import type { RichMessage } from "../contract/message.ts";
import { base64Of, isUint8Array } from "../runtime/bytes.ts";
import { MAX_DEPTH } from "../runtime/depth.ts";
import { isPlainObject } from "../runtime/objects.ts";
import { sameJson } from "./same-json.ts";

/** The keys from a value to a value inside of it. */
type Path = readonly (string | number)[];

/** A value without the texts and bytes that its message also holds. */
interface Rest {
  readonly value: unknown;
  /**
   * For each text or bytes that only the message holds: its path in `value`, where the beginning of a data URL or an
   * empty text stands, and its path in the message.
   */
  readonly shared?: readonly (readonly [Path, Path])[];
}

/** What a message of another framework was, beside its standard form. */
interface Original extends Rest {
  /** The digest of the standard form. After an edit of the message, it differs, and the value is out of date. */
  readonly of: string;
}

/** Shorter texts are stored twice, because two paths would take more space. */
const SHARED_LENGTH = 100;

const DATA_URL = /^data:[^;,]+;base64,/;

const isLarge = (value: unknown): boolean =>
  typeof value === "string" ? value.length >= SHARED_LENGTH : isUint8Array(value);

type Visit = (value: unknown, path: Path) => unknown;

/** Copies lists and plain objects. `visit` returns the copy of any other value. */
function copy(value: unknown, visit: Visit, path: Path = []): unknown {
  // Deeper values are refused by the store, which says so.
  if (path.length > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => copy(item, visit, [...path, index]));
  if (!isPlainObject(value)) return visit(value, path);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, copy(field, visit, [...path, key])] as const),
  );
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The beginning of a data URL up to its data, and the data. `undefined` if the value is no data URL. */
function dataUrlOf(value: unknown): readonly [start: string, data: string] | undefined {
  const [start] = typeof value === "string" ? (DATA_URL.exec(value) ?? []) : [];
  return start === undefined ? undefined : [start, String(value).slice(start.length)];
}

function withoutShared(message: RichMessage, value: unknown): Rest {
  const places = new Map<unknown, Path>();
  copy(message, (found, path) => {
    if (isLarge(found) && !places.has(found)) places.set(found, path);
    return found;
  });
  const shared: [Path, Path][] = [];
  const rest = copy(value, (found, path) => {
    if (!isLarge(found)) return found;
    const [start, data] = places.has(found) ? ["", found] : (dataUrlOf(found) ?? ["", found]);
    const place = places.get(data);
    if (place === undefined) return found;
    shared.push([path, place]);
    return start;
  });
  return shared.length === 0 ? { value } : { value: rest, shared };
}

function restored(message: RichMessage, { value, shared = [] }: Rest): unknown {
  if (shared.length === 0) return value;
  const places = new Map(shared.map(([path, place]) => [JSON.stringify(path), place]));
  let missing = false;
  const whole = copy(value, (found, path) => {
    const place = typeof found === "string" ? places.get(JSON.stringify(path)) : undefined;
    if (place === undefined) return found;
    const data = valueAt(message, place);
    missing ||= data === undefined;
    return typeof data === "string" ? `${found}${data}` : data;
  });
  return missing ? undefined : whole;
}

/** The value with sorted keys and with texts for a `Date`, a `URL` and bytes: the same for all that a store returns. */
function ordered(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? undefined : value;
  if (isUint8Array(value)) return base64Of(value);
  // The store refuses deeper values.
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => ordered(item, depth + 1));
  if (!isPlainObject(value)) return String(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, ordered(field, depth + 1)] as const));
}

/** A short digest of the standard fields, which detects edits. It doesn't protect from forged messages. */
function digestOf({ role, content, name, tool_calls, tool_call_id }: RichMessage): string {
  const text = JSON.stringify(ordered({ role, content, name, tool_calls, tool_call_id }));
  return sha256(text, "base64url").slice(0, 22);
}

const isPath = (value: unknown): value is Path =>
  Array.isArray(value) && value.every((key) => typeof key === "string" || typeof key === "number");

const isOriginal = (stored: unknown): stored is Original => {
  if (typeof stored !== "object" || stored === null || !("value" in stored) || !("of" in stored))
    return false;
  const shared: unknown = Reflect.get(stored, "shared");
  if (shared === undefined) return true;
  return (
    Array.isArray(shared) &&
    shared.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isPath))
  );
};

/**
 * Returns the message with the field `field`, from which {@link originalIn} gives `value` again. Long texts and bytes
 * that the message already has aren't stored a second time.
 */
export function withOriginal(message: RichMessage, field: string, value: unknown): RichMessage {
  const rest = withoutShared(message, value);
  const whole = sameJson(restored(message, rest), value) ? rest : { value };
  const original: Original = { ...whole, of: digestOf(message) };
  return { ...message, [field]: original };
}

/**
 * Returns the value that {@link withOriginal} stored in the message's field `field`. `undefined` if the message has no
 * such field, or if its role, content, name or calls were changed since.
 */
export function originalIn(message: RichMessage, field: string): unknown {
  const stored = Object.hasOwn(message, field) ? message[field] : undefined;
  if (!isOriginal(stored) || stored.of !== digestOf(message)) return undefined;
  return restored(message, stored);
}
