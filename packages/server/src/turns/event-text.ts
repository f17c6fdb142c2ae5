import { base64Of } from "@jaf/memory/engine";
import type { TurnEvent } from "./turn-event.ts";

/** An event as it is stored and sent. Bytes are base64 there, as in a `MediaPart` whose `data` is a text. */
export const encodeEvent = (event: TurnEvent): string =>
  // JSON asks a value for `toJSON` first: of a Date and a URL that is the text that is wanted.
  JSON.stringify(event, (_key, value: unknown) => (value instanceof Uint8Array ? base64Of(value) : value));

/** The event that {@link encodeEvent} has written. */
export const decodeEvent = (text: string): TurnEvent => JSON.parse(text) as TurnEvent;
