import { base64Of } from "@jaf/memory/engine";
import type { TurnEvent } from "./turn-event.ts";

/** An event as it is stored, beside its text. */
export interface EncodedEvent {
  /** Equal to what the text decodes to, and frozen: all readers in this process get the same one. */
  readonly event: TurnEvent;
  readonly text: string;
}

export function encodeEvent(event: TurnEvent): EncodedEvent {
  const plain = plainEvent(event);
  return { event: plain, text: JSON.stringify(plain) };
}

/** The event that an {@link EncodedEvent}'s text holds. */
export const decodeEvent = (text: string): TurnEvent => JSON.parse(text) as TurnEvent;

/** A copy that holds what JSON would make of the event. Bytes are base64 there, as in a `MediaPart` whose `data` is a text. */
export const plainEvent = <Event extends TurnEvent>(event: Event): Event => plainOf(event, "") as Event;

/** `undefined`: JSON leaves the value out. */
function plainOf(given: unknown, key: string): unknown {
  // A Buffer has a `toJSON` that makes a list of numbers of it.
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
      // JSON throws here, and a tool whose schema makes such a number would never be told of.
      return String(value);
    case "object":
      return value === null ? null : Object.freeze(plainObject(value));
    default:
      return undefined;
  }
}

/** What a Date, a URL and the like say that they are in JSON. */
const jsonOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON(key)
    : value;

function plainObject(value: object): object {
  if (Array.isArray(value)) return Array.from(value, (item, index) => plainOf(item, `${index}`) ?? null);
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const plain = plainOf(field, key);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  // fromEntries defines properties, so that a key `__proto__` stays a key.
  return Object.fromEntries(fields);
}
