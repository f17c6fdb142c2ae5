import type { RichMessage } from "../contract/message.ts";
import { isUint8Array } from "../runtime/bytes.ts";
import { MAX_DEPTH } from "../runtime/depth.ts";
import { isPlainObject } from "../runtime/objects.ts";
import { sameJson } from "./same-json.ts";

/** The keys from a value to a value inside of it. */
type Path = readonly (string | number)[];

/**
 * What a message of another framework was, beside its standard form. Texts and bytes that the standard form also holds
 * are only stored there: `shared` has, for each of them, its path in `value` and its path in the message.
 */
interface Original {
  readonly value: unknown;
  readonly shared?: readonly (readonly [Path, Path])[];
}

/** Shorter texts are stored twice, because two paths would take more space. */
const SHARED_LENGTH = 100;

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

function withoutShared(message: RichMessage, value: unknown): Original {
  const places = new Map<unknown, Path>();
  copy(message, (found, path) => {
    if (isLarge(found) && !places.has(found)) places.set(found, path);
    return found;
  });
  const shared: [Path, Path][] = [];
  const rest = copy(value, (found, path) => {
    const place = isLarge(found) ? places.get(found) : undefined;
    if (place === undefined) return found;
    shared.push([path, place]);
    return "";
  });
  return shared.length === 0 ? { value } : { value: rest, shared };
}

function restored(message: RichMessage, { value, shared = [] }: Original): unknown {
  if (shared.length === 0) return value;
  const places = new Map(shared.map(([path, place]) => [JSON.stringify(path), place]));
  let missing = false;
  const whole = copy(value, (found, path) => {
    const place = found === "" ? places.get(JSON.stringify(path)) : undefined;
    if (place === undefined) return found;
    const text = valueAt(message, place);
    missing ||= text === undefined;
    return text;
  });
  return missing ? undefined : whole;
}

const isPath = (value: unknown): value is Path =>
  Array.isArray(value) && value.every((key) => typeof key === "string" || typeof key === "number");

const isOriginal = (stored: unknown): stored is Original => {
  if (typeof stored !== "object" || stored === null || !("value" in stored)) return false;
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
  const original = withoutShared(message, value);
  const whole = sameJson(restored(message, original), value) ? original : { value };
  return { ...message, [field]: whole };
}

/**
 * Returns the value that {@link withOriginal} stored in the message's field `field`. `undefined` if the message has no
 * such field, or if a text that the value shares with the message was removed from the message.
 */
export function originalIn(message: RichMessage, field: string): unknown {
  const stored = Object.hasOwn(message, field) ? message[field] : undefined;
  return isOriginal(stored) ? restored(message, stored) : undefined;
}
