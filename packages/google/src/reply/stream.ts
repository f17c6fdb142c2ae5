import type { ModelStreamChunk } from "@jaf/core";
import { parseJson, responseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { Reply } from "./collect.ts";

/**
 * Reads the body of a 200: one response, or a list, which is a stream not sent as events. Throws a `GoogleError` if it reports an
 * error or isn't a response.
 */
export function chunksOfWhole(text: string, reply: Reply, provider: string): readonly ModelStreamChunk[] {
  const body = responseJson(text, provider, errors);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap(reply.add);
  if (!reply.hasContent()) throw errors.malformed(provider, "no candidates");
  return chunks;
}

/**
 * Yields the chunks of a stream. Parts such as a signature may follow the finish reason, so the stream is read to its end.
 * Throws a `GoogleError` if it ends without a finish reason.
 */
export async function* chunksOf(
  events: AsyncIterable<string>,
  reply: Reply,
  provider: string,
): AsyncGenerator<ModelStreamChunk, void> {
  for await (const data of events) yield* reply.add(parseJson(data));
  if (!reply.isEnded()) throw errors.cut(provider);
}
