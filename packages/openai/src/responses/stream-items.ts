import type { ModelStreamChunk } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, isSource } from "@jaf/model-http";
import { asksApplication, callOf, isKnown, type ResponsesRequest } from "./calls.ts";
import { CUSTOM_CALL } from "./items.ts";
import { partReader } from "./parts.ts";
import { SECTION_BREAK } from "./reasoning.ts";
import { type StreamedItem, streamedItems } from "./streamed-items.ts";

/** Turns the events of a stream into chunks. */
export interface ItemStream {
  /** Returns an event's chunks. */
  readonly add: (event: Fields) => readonly ModelStreamChunk[];
  /** The complete items, in the order of the output. */
  readonly items: () => readonly Fields[];
  /** Returns the chunks of the response's items that weren't told yet. */
  readonly end: (output: readonly Fields[]) => readonly ModelStreamChunk[];
}

type Chunks = readonly ModelStreamChunk[];

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function itemStream(request: ResponsesRequest): ItemStream {
  const { entries, items, placeOf, complete, completeAll, inOrder } = streamedItems();
  const reader = partReader(items);

  const callChunk = (entry: StreamedItem): ModelStreamChunk => {
    const call = callOf(entry.item, request, {});
    const name = call.function?.name ?? call.custom?.name ?? "";
    const text = call.function?.arguments ?? call.custom?.input ?? "";
    const isNew = !entry.isBegun;
    // Before the end, the text may be incomplete, and come again in pieces.
    const rest = entry.said || !entry.isComplete ? "" : text;
    entry.isBegun = true;
    entry.said ||= rest;
    return {
      type: "tool_call_delta",
      index: entries.indexOf(entry),
      ...(call.id && isNew ? { id: call.id } : {}),
      ...(name !== "" && isNew ? { name } : {}),
      ...(rest === "" ? {} : { arguments: rest }),
    };
  };

  const partChunk = (part: ContentPart, isBegun: boolean): Chunks => {
    const { type } = part;
    const text = textOf(part["text"]);
    if (type === "text" || type === "reasoning")
      return isBegun || text === "" ? [] : [{ type: `${type}_delta`, text }];
    // Only the end of the stream says for sure what the reply cites.
    return isSource(part) ? [] : [asChunk(part)];
  };

  /** The rest of a complete item; nothing while a later item may still answer its call. */
  const remaining = (entry: StreamedItem, hasEnded: boolean): Chunks => {
    const { item, isBegun, isTold } = entry;
    if (isTold) return hasEnded && entry.lacksResult ? reader.untoldResult(item).map(asChunk) : [];
    const asks = asksApplication(item, items.slice(entries.indexOf(entry) + 1), request);
    if (asks && !hasEnded && !isKnown(item, request)) return [];
    entry.isTold = true;
    if (asks) return isBegun && entry.said ? [] : [callChunk(entry)];
    const parts = reader.partsOf(item, {});
    entry.lacksResult = parts.length === 1 && parts[0]?.type === "provider-tool-call";
    return parts.flatMap((part) => partChunk(part, isBegun));
  };

  const allRemaining = (hasEnded = false): Chunks =>
    entries.filter(({ isComplete }) => isComplete).flatMap((entry) => remaining(entry, hasEnded));

  const pieceChunks = (event: Fields, type: string): Chunks => {
    const entry = placeOf(event, { type });
    const delta = textOf(event["delta"]);
    const { item_id: id } = event;
    if (delta === "") return [];
    switch (type) {
      case "message":
        entry.isBegun = true;
        entry.said += delta;
        return [{ type: "text_delta", text: delta }];
      case "reasoning": {
        const section = Number(event["summary_index"] ?? event["content_index"] ?? 0);
        const separator = entry.isBegun && section > entry.section ? SECTION_BREAK : "";
        entry.isBegun = true;
        entry.section = Math.max(section, entry.section);
        const text = `${separator}${delta}`;
        return [{ type: "reasoning_delta", text, ...(typeof id === "string" ? { id } : {}) }];
      }
      default:
        if (!entry.isBegun) return [];
        entry.said += delta;
        return [{ type: "tool_call_delta", index: entries.indexOf(entry), arguments: delta }];
    }
  };

  return {
    items: () =>
      inOrder().flatMap(({ item, isComplete, said }) => {
        if (isComplete) return [item];
        // Of an item that doesn't end, the text that was told is left.
        const content = [{ type: "output_text", text: said, annotations: [] }];
        return said && item["type"] === "message" ? [{ ...item, status: "incomplete", content }] : [];
      }),
    add: (event) => {
      const item = fieldsOf(event["item"]);
      const type = PIECES.get(event["type"]);
      if (type !== undefined) return pieceChunks(event, type);
      switch (event["type"]) {
        case "response.output_item.added": {
          const entry = placeOf(event, item);
          // Only the arguments of functions and custom tools come in pieces.
          const isCall =
            [FUNCTION_CALL, CUSTOM_CALL].includes(String(item["type"])) && isKnown(item, request);
          return [...allRemaining(), ...(isCall ? [callChunk(entry)] : [])];
        }
        case "response.output_item.done":
          complete(placeOf(event, item), item);
          return allRemaining();
        default:
          return [];
      }
    },
    end: (output) => {
      completeAll(output);
      return allRemaining(true);
    },
  };
}

const FUNCTION_CALL = "function_call";

/** The type of the item that an event with a piece belongs to, since some gateways don't announce their items. */
const PIECES: ReadonlyMap<unknown, string> = new Map([
  ["response.output_text.delta", "message"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.reasoning_text.delta", "reasoning"],
  ["response.function_call_arguments.delta", FUNCTION_CALL],
  ["response.custom_tool_call_input.delta", CUSTOM_CALL],
]);

const asChunk = (part: ContentPart): ModelStreamChunk => ({ type: "part", part });
