import type { Traffic } from "./write-traffic.ts";

const GROUP_ITEMS = 64;
/** In characters. */
export const GROUP_LENGTH = 1_000_000;

export interface Entry<Item, Outcome> {
  readonly item: Item;
  readonly lane: string;
  /** Absent: it goes by itself. */
  readonly packed: string | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (thrown: unknown) => void;
}

/** What can go now: some by themselves, and at most one group. Nothing overtakes what came before it in its lane. */
export function divide<Item, Outcome>(waiting: readonly Entry<Item, Outcome>[], traffic: Traffic) {
  const parts: Record<"alone" | "group" | "rest", Entry<Item, Outcome>[]> = {
    alone: [],
    group: [],
    rest: [],
  };
  const closed = new Set<string>();
  const grouped = new Set<string>();
  let length = 0;
  const fits = (packed: string) =>
    traffic.mayGroup() && parts.group.length < GROUP_ITEMS && length + packed.length <= GROUP_LENGTH;
  for (const entry of waiting) {
    const { lane, packed } = entry;
    const free = !traffic.isBusy(lane) && !closed.has(lane);
    if (free && packed !== undefined && fits(packed)) {
      parts.group.push(entry);
      grouped.add(lane);
      length += packed.length;
    } else {
      closed.add(lane);
      parts[free && packed === undefined && !grouped.has(lane) ? "alone" : "rest"].push(entry);
    }
  }
  return parts;
}

/** Of a lane, only the first has to go by itself: the others may go together behind it. */
export function unpackFirst<Item, Outcome>(entries: readonly Entry<Item, Outcome>[]): Entry<Item, Outcome>[] {
  const lanes = new Set<string>();
  return entries.map((entry) => {
    if (lanes.has(entry.lane)) return entry;
    lanes.add(entry.lane);
    return { ...entry, packed: undefined };
  });
}
