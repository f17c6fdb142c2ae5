import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import { doneChunk, parseJson, responseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { GenerateRequest } from "../request/request.ts";
import { openReply, type Reply } from "./collect.ts";

/** Reads the body of a 200: one response, or a list, which is a stream not sent as events. */
function readWhole(text: string, request: GenerateRequest): { reply: Reply; chunks: ModelStreamChunk[] } {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const reply = openReply(request);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap((response) => reply.add(response));
  if (!reply.hasContent()) throw errors.malformed(provider, "no candidates");
  return { reply, chunks };
}

/** Parses a body. Throws a `GoogleError` if it reports an error or isn't a response. */
export const completionOf = (text: string, request: GenerateRequest): ModelCompletion =>
  readWhole(text, request).reply.end().completion;

/** Does the same as `completionOf`, but yields chunks. */
export function* chunksOfWhole(text: string, request: GenerateRequest): Generator<ModelStreamChunk, void> {
  const { reply, chunks } = readWhole(text, request);
  yield* chunks;
  yield* lastChunks(reply);
}

/**
 * Yields the chunks of a stream; the last one is `done`. Parts such as a signature may follow the finish reason, so the
 * stream is read to its end. Throws a `GoogleError` if it ends without a finish reason.
 */
export async function* chunksOf(
  events: AsyncIterable<string>,
  request: GenerateRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const reply = openReply(request);
  for await (const data of events) {
    const response = parseJson(data);
    if (response === undefined) throw errors.malformed(request.origin.provider, "an event that is not JSON");
    yield* reply.add(response);
  }
  if (!reply.isEnded()) throw errors.cut(request.origin.provider);
  yield* lastChunks(reply);
}

function* lastChunks(reply: Reply): Generator<ModelStreamChunk, void> {
  const { completion, chunks } = reply.end();
  yield* chunks;
  yield doneChunk(completion);
}
