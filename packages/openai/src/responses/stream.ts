import type { ModelStreamChunk } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { lastChunks } from "../sources.ts";
import type { ResponsesRequest } from "./calls.ts";
import { endedCompletion } from "./reply.ts";
import { itemStream } from "./stream-items.ts";

/**
 * Yields the chunks of a stream; the last one is `done`, with the complete response. Throws an `OpenAIError` if the stream
 * reports an error, isn't valid, or ends early.
 */
export async function* responsesChunksOf(
  events: AsyncIterable<string>,
  request: ResponsesRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const { provider } = request.origin;
  const pieces = itemStream(request);
  for await (const data of events) {
    // Gateways send it after the last event.
    if (data === "[DONE]") break;
    const event = parseJson(data);
    if (!isObject(event)) throw errors.malformed(provider, "an event that is not JSON");
    const { type } = event;
    if (type === "error" || errorIn(event) !== undefined)
      throw errors.reported(errorIn(event) ?? { code: event["code"], param: event["param"] }, provider);
    if (typeof type === "string" && ENDINGS.has(type)) {
      const response = fieldsOf(event["response"]);
      const status = type === DONE ? response["status"] : type.slice("response.".length);
      yield* ending({ ...response, status });
      return;
    }
    yield* pieces.add(event);
  }
  throw errors.cut(provider);

  function* ending(response: Fields): Generator<ModelStreamChunk> {
    const sent = listOf(response["output"]);
    // Some gateways omit the output here.
    const output = sent.length === 0 ? pieces.items() : sent.filter(isObject);
    const completion = endedCompletion(response, output, request);
    yield* pieces.end(output);
    yield* lastChunks(completion);
  }
}

/** The last event of some gateways, whatever the status. */
const DONE = "response.done";

const ENDINGS: ReadonlySet<string> = new Set([
  ...["response.completed", "response.incomplete", "response.failed", "response.cancelled", DONE],
]);
