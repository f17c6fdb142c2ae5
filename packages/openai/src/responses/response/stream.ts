import type { ModelStreamChunk } from "@jaf/core";
import { doneChunk, errorIn, type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";
import { errors } from "../../error.ts";
import type { OpenAIRequest } from "../../provider.ts";
import { responseCompletion } from "./completion.ts";
import { itemPieces } from "./item-pieces.ts";

/**
 * The chunks of a stream, the last of which is `done`, with the response that the stream ends with. Throws an `OpenAIError`
 * where it reports a failure, can't be understood, or ends before.
 */
export async function* chunksOf(
  events: AsyncIterable<string>,
  request: OpenAIRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const { provider } = request.origin;
  const pieces = itemPieces(request);
  for await (const data of events) {
    // Of gateways, behind the last event.
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
    // Some gateways leave it out here.
    const output = sent.length === 0 ? pieces.items() : sent;
    const completion = responseCompletion(response, output, request);
    yield* output.flatMap((item, index) => [...pieces.untold(item, index)]);
    yield doneChunk(completion);
  }
}

const ENDINGS: ReadonlySet<string> = new Set([
  ...["response.completed", "response.incomplete", "response.failed", "response.cancelled"],
]);
