import type { ModelStreamChunk } from "@jaf/core";
import { doneChunk, errorIn, type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { type CallNames, callOf, isCall, partsOf } from "./message.ts";
import { SECTION_BREAK } from "./reasoning.ts";
import { endedCompletion } from "./reply.ts";

/**
 * Yields the chunks of a stream; the last one is `done`, with the complete response. Throws an `OpenAIError` if the stream
 * reports an error, isn't valid, or ends early.
 */
export async function* responsesChunksOf(
  events: AsyncIterable<string>,
  request: OpenAIRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const { provider } = request.origin;
  const pieces = itemPieces(request);
  for await (const data of events) {
    // Gateways send it after the last event.
    if (data === "[DONE]") break;
    const event = parseJson(data);
    if (!isObject(event)) throw errors.malformed(provider, "an event that is not JSON");
    const { type } = event;
    if (type === "error" || errorIn(event) !== undefined)
      throw errors.reported(errorIn(event) ?? { code: event["code"], param: event["param"] }, provider);
    if (typeof type === "string" && ENDINGS.has(type)) {
      yield* ending({ ...fieldsOf(event["response"]), status: type.slice("response.".length) });
      return;
    }
    yield* pieces.add(event);
  }
  throw errors.cut(provider);

  function* ending(response: Fields): Generator<ModelStreamChunk> {
    const sent = listOf(response["output"]);
    // Some gateways omit the output here.
    const output = sent.length === 0 ? pieces.items() : sent;
    const completion = endedCompletion(response, output, request);
    yield* output.flatMap((item, index) => [...pieces.remaining(item, index)]);
    yield doneChunk(completion);
  }
}

const ENDINGS: ReadonlySet<string> = new Set([
  ...["response.completed", "response.incomplete", "response.failed", "response.cancelled"],
]);

/** Collects the output items of a stream. */
interface ItemPieces {
  /** Returns an event's chunks. */
  readonly add: (event: Fields) => readonly ModelStreamChunk[];
  /** Returns the chunks of a complete item that weren't streamed yet. */
  readonly remaining: (item: unknown, index: unknown) => readonly ModelStreamChunk[];
  /** The complete items, in the order of the output. */
  readonly items: () => readonly unknown[];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function itemPieces(names: CallNames): ItemPieces {
  const whole = new Map<unknown, unknown>();
  /** The indexes of items that were streamed in pieces. */
  const begun = new Set<unknown>();
  const finished = new Set<unknown>();

  const callPiece = (item: Fields, index: unknown): ModelStreamChunk => {
    const call = callOf(item, names, {});
    const called = call.function?.name ?? call.custom?.name ?? "";
    const text = call.function?.arguments ?? call.custom?.input ?? "";
    return {
      type: "tool_call_delta",
      ...(typeof index === "number" ? { index } : {}),
      ...(call.id ? { id: call.id } : {}),
      ...(called === "" ? {} : { name: called }),
      ...(text === "" || begun.has(index) ? {} : { arguments: text }),
    };
  };

  function* rest(item: Fields, index: unknown): Generator<ModelStreamChunk> {
    if (isCall(item)) {
      if (!begun.has(index)) yield callPiece(item, index);
      return;
    }
    for (const part of partsOf(item, {})) {
      const text = textOf(part["text"]);
      if (part.type === "text" && text !== "") {
        if (!begun.has(index)) yield { type: "text_delta", text };
      } else if (part.type === "reasoning") {
        if (!begun.has(index) && text !== "") yield { type: "reasoning_delta", text };
      } else yield { type: "part", part };
    }
  }

  const remaining = (item: unknown, index: unknown): readonly ModelStreamChunk[] => {
    if (finished.has(index)) return [];
    finished.add(index);
    return [...rest(fieldsOf(item), index)];
  };

  return {
    items: () => [...whole].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item),
    remaining,
    add: (event) => {
      const { output_index: index, item, item_id: id } = event;
      const delta = textOf(event["delta"]);
      switch (event["type"]) {
        case "response.output_item.added": {
          if (!isCall(fieldsOf(item))) return [];
          const piece = callPiece(fieldsOf(item), index);
          begun.add(index);
          return [piece];
        }
        case "response.output_text.delta":
          begun.add(index);
          return [{ type: "text_delta", text: delta }];
        case "response.reasoning_summary_part.added":
          return Number(event["summary_index"]) > 0 ? [thought(SECTION_BREAK, id)] : [];
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          begun.add(index);
          return [thought(delta, id)];
        case "response.function_call_arguments.delta":
        case "response.custom_tool_call_input.delta":
          return [
            {
              type: "tool_call_delta",
              ...(typeof index === "number" ? { index } : {}),
              arguments: delta,
            },
          ];
        case "response.output_item.done":
          whole.set(index, item);
          return remaining(item, index);
        default:
          return [];
      }
    },
  };
}

const thought = (text: string, id: unknown): ModelStreamChunk => ({
  type: "reasoning_delta",
  text,
  ...(typeof id === "string" ? { id } : {}),
});
