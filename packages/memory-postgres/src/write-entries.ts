import type { WritesInFlight } from "./writes-in-flight.ts";

const GROUP_ITEMS = 64;
/** In characters. */
export const GROUP_LENGTH = 1_000_000;

export interface Entry<Item, Outcome> {
  readonly item: Item;
  readonly key: string;
  /** `undefined`: it is sent by itself. */
  readonly packed: string | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * What can be sent now: some entries by themselves, and at most one group. Nothing is sent before an earlier entry with the
 * same key.
 */
export function divide<Item, Outcome>(waiting: readonly Entry<Item, Outcome>[], inFlight: WritesInFlight) {
  const parts: Record<"alone" | "group" | "rest", Entry<Item, Outcome>[]> = {
    alone: [],
    group: [],
    rest: [],
  };
  const closed = new Set<string>();
  const grouped = new Set<string>();
  let length = 0;
  const fits = (packed: string) =>
    inFlight.mayGroup() && parts.group.length < GROUP_ITEMS && length + packed.length <= GROUP_LENGTH;
  for (const entry of waiting) {
    const { key, packed } = entry;
    const free = !inFlight.isBusy(key) && !closed.has(key);
    if (free && packed !== undefined && fits(packed)) {
      parts.group.push(entry);
      grouped.add(key);
      length += packed.length;
    } else {
      closed.add(key);
      parts[free && packed === undefined && !grouped.has(key) ? "alone" : "rest"].push(entry);
    }
  }
  return parts;
}

/** Only the first entry of each key has to be sent by itself: the others may follow together. */
export function unpackFirst<Item, Outcome>(entries: readonly Entry<Item, Outcome>[]): Entry<Item, Outcome>[] {
  const keys = new Set<string>();
  return entries.map((entry) => {
    if (keys.has(entry.key)) return entry;
    keys.add(entry.key);
    return { ...entry, packed: undefined };
  });
}
