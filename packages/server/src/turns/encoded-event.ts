import { base64Of, MAX_DEPTH } from "@jaf/memory/internal";
import { isGrowing } from "./pieces.ts";
import type { TurnEvent } from "./turn-event.ts";

/** An event and its JSON text in the log. */
export interface EncodedEvent {
  /** The event that decoding `text` returns. It is frozen. */
  readonly event: TurnEvent;
  readonly text: string;
}

export function encodeEvent(event: TurnEvent): EncodedEvent {
  // Pieces are by far the most events, and are plain already.
  const plain = isGrowing(event) ? Object.freeze(event) : plainEvent(event);
  return { event: plain, text: JSON.stringify(plain) };
}

/** Decodes the JSON text of an {@link EncodedEvent}. */
export const decodeEvent = (text: string): TurnEvent => JSON.parse(text) as TurnEvent;

/**
 * Returns a frozen copy of the event with the values that it has after JSON. Bytes become base64 text. Leaves out
 * values that can't be stored, e.g. functions and objects that contain themselves.
 */
export const plainEvent = <Event extends TurnEvent>(event: Event): Event =>
  plainOf(event, "", new Set()) as Event;

/** Maximum nesting depth of an event: the depth that stores accept for a value, plus 20 levels around the value. */
const MAX_EVENT_DEPTH = MAX_DEPTH + 20;

/**
 * Returns the value as it is after JSON, or `undefined` if the value is left out. `around`: the objects that contain
 * it.
 */
function plainOf(given: unknown, key: string, around: Set<object>): unknown {
  // A Buffer's `toJSON` would return a list of numbers.
  if (given instanceof Uint8Array) return base64Of(given);
  const value = jsonOf(given, key);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "bigint":
      // JSON would throw, and the event of a tool with such a number would be lost.
      return String(value);
    case "object":
      return value === null ? null : plainObject(value, around);
    default:
      return undefined;
  }
}

/**
 * Returns the result of the value's `toJSON` method, or the value itself if it has no such method. Returns `undefined`
 * if the method throws.
 */
function jsonOf(value: unknown, key: string): unknown {
  try {
    return typeof value === "object" &&
      value !== null &&
      "toJSON" in value &&
      typeof value.toJSON === "function"
      ? value.toJSON(key)
      : value;
  } catch {
    return undefined;
  }
}

function plainObject(value: object, around: Set<object>): object | undefined {
  if (around.has(value) || around.size >= MAX_EVENT_DEPTH) return undefined;
  around.add(value);
  try {
    return Object.freeze(plainFields(value, around));
  } catch {
    return undefined;
  } finally {
    around.delete(value);
  }
}

function plainFields(value: object, around: Set<object>): object {
  if (Array.isArray(value))
    return Array.from(value, (item, index) => plainOf(item, `${index}`, around) ?? null);
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const plain = plainOf(field, key, around);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  // fromEntries defines properties, so `__proto__` stays a normal key.
  return Object.fromEntries(fields);
}
