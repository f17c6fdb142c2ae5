import type { Fields } from "@jaf/model-http";

/** An output item of a stream, and what of it was told. */
export interface StreamedItem {
  /** Its `output_index`, else its id. Indexes can have gaps. */
  readonly index: unknown;
  item: Fields;
  isComplete: boolean;
  /** Whether a piece of it was told. */
  isBegun: boolean;
  /** What was told of a message's text, or of a call's arguments. */
  said: string;
  /** Whether all of it was told. */
  isTold: boolean;
  /** Whether it was told as a call of the service's own, without a result. */
  lacksResult: boolean;
  /** The last section of a reasoning item. */
  section: number;
}

/** The output items of a stream. */
export interface StreamedItems {
  /** In the order in which they began. */
  readonly entries: readonly StreamedItem[];
  /** The same items as `entries`, as far as they are known. */
  readonly items: readonly Fields[];
  /** Returns the item that an event belongs to; `item` is what is known of it. */
  readonly placeOf: (event: Fields, item: Fields) => StreamedItem;
  readonly complete: (entry: StreamedItem, item: Fields) => void;
  /** Completes the items by the output of the last event. */
  readonly completeAll: (output: readonly Fields[]) => void;
  /** In the order of the output. */
  readonly inOrder: () => readonly StreamedItem[];
}

export function streamedItems(): StreamedItems {
  const entries: StreamedItem[] = [];
  const items: Fields[] = [];

  const begin = (index: unknown, item: Fields): StreamedItem => {
    const flags = { isComplete: false, isBegun: false, isTold: false, lacksResult: false };
    const entry = { index, item, ...flags, said: "", section: 0 };
    entries.push(entry);
    items.push(item);
    return entry;
  };

  const complete = (entry: StreamedItem, item: Fields): void => {
    if (entry.isComplete) return;
    entry.item = item;
    entry.isComplete = true;
    items[entries.indexOf(entry)] = item;
  };

  const placeOf: StreamedItems["placeOf"] = (event, item) => {
    const id = event["item_id"] ?? item["id"];
    const index = event["output_index"] ?? id;
    if (index === undefined)
      return (
        entries.findLast((each) => !each.isComplete && each.item["type"] === item["type"]) ??
        begin(index, item)
      );
    // LiteLLM gives several items the same index, and some gateways give an item another id later.
    const sameIndex = entries.filter((each) => each.index === index);
    const isNew = event["type"] === "response.output_item.added";
    return (
      sameIndex.find((each) => each.item["id"] === id) ??
      (isNew ? undefined : sameIndex.at(-1)) ??
      begin(index, item)
    );
  };

  return {
    entries,
    items,
    placeOf,
    complete,
    completeAll: (output) => {
      const left = new Set(entries);
      for (const [position, item] of output.entries()) {
        // Some gateways give an item another id at the end, and some leave ids out.
        const entry =
          [...left].find((each) => item["id"] !== undefined && each.item["id"] === item["id"]) ??
          [...left].find((each) => each.item["type"] === item["type"]);
        if (entry !== undefined) left.delete(entry);
        const isFree = entries.every(({ index }) => index !== position);
        complete(entry ?? begin(isFree ? position : undefined, item), item);
      }
    },
    inOrder: () => entries.toSorted((a, b) => Number(a.index) - Number(b.index)),
  };
}
