import type { Message } from "@jaf/memory";
import { placesIn } from "../window/places.ts";

/** The whole conversation before a model call. */
export interface PlacedHistory {
  /** As a model can be given it. */
  readonly messages: readonly Message[];
  /**
   * As it is stored, or was handed in, with what the sanitizer has repaired since. What was said after that may be
   * missing at its end.
   */
  readonly source: () => readonly Message[];
  /** The position of the first of `source`, counted from the very first message. */
  readonly first: number;
  /** The position of the first message that the store has: those from here to before `first` were not loaded. */
  readonly stored: number;
  /** Which message of `source` each is; what was said since counts on from its end. */
  readonly places: () => Int32Array;
}

export type Source = Pick<PlacedHistory, "source" | "first" | "stored">;

export function placeHistory(messages: readonly Message[], { source, first, stored }: Source): PlacedHistory {
  let places: Int32Array | undefined;
  return {
    messages,
    source,
    first,
    stored,
    places: () => {
      places ??= placesIn(source(), messages);
      return places;
    },
  };
}

/** The position of a message, counted from the conversation's very first. */
export const positionAt = ({ first, places }: PlacedHistory, index: number): number =>
  first + (places()[index] ?? 0);
