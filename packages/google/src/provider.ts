import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { doneChunk, isUnstreamed, parseJson, post, responseJson, streamed, wholeText } from "@jaf/model-http";
import { askCached } from "./cache/ask-cached.ts";
import { GoogleCacheRegistry } from "./cache/registry.ts";
import { openEndpoint } from "./endpoint.ts";
import { errors } from "./error.ts";
import { type GoogleProviderOptions, parseOptions } from "./options.ts";
import { type GenerateRequest, generateRequest } from "./request/body.ts";
import { openReply, type Reply } from "./response/reply.ts";

/**
 * A Gemini model by `generateContent`.
 *
 * The model's reply is kept whole: thought signatures, what its own tools did, media, sources. It goes back as it came to the
 * origin `{ provider, api: "generate-content", model }` alone. Others get what was said and called.
 *
 * What an agent declares `cacheable` is kept by Google as a `cachedContents` resource; see {@link GoogleCacheRegistry}.
 *
 * A call throws a `GoogleError`, what `fetch` throws, or the reason of the signal's abort. It is made once, but for a cached
 * prompt that is gone: the engine decides what is tried again.
 *
 * @throws TypeError where an option is none, or where Google is to be asked without a key.
 *
 * @example
 * const modelProvider = createGoogleProvider({ model: "gemini-3-pro-preview" }); // GOOGLE_GENERATIVE_AI_API_KEY
 */
export function createGoogleProvider(options: GoogleProviderOptions = {}): GoogleProvider {
  const parsed = parseOptions(options);
  const endpoint = openEndpoint(parsed);
  const registry = parsed.cacheRegistry ?? new GoogleCacheRegistry();

  const ask = (request: GenerateRequest, method: string, signal: AbortSignal | undefined) => {
    const service = endpoint.at(`/${request.path}:${method}`);
    const send = (body: GenerateRequest["body"]) => post(service, body, signal);
    return askCached({ request, endpoint, registry, send });
  };

  return {
    getCompletion: async (state, agent, config) => {
      const { signal } = config;
      const request = generateRequest({ state, agent, config }, parsed, endpoint.provider);
      const response = await ask(request, "generateContent", signal);
      return completionOf(await wholeText(response, endpoint.at(""), signal), request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const { signal } = config;
      const service = endpoint.at("");
      const request = generateRequest({ state, agent, config }, parsed, endpoint.provider);
      const response = await ask(request, "streamGenerateContent?alt=sse", signal);
      if (isUnstreamed(response)) yield* chunksOfWhole(await wholeText(response, service, signal), request);
      else yield* streamed(response, (events) => chunksOf(events, request), { service, signal });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type GoogleProvider = Required<ModelProvider<any>>;

/** The body of a 200: a response, or, of a stream that wasn't asked for as events, a list of them. */
function readWhole(text: string, request: GenerateRequest): { reply: Reply; chunks: ModelStreamChunk[] } {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const reply = openReply(request);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap((response) => reply.add(response));
  if (!reply.isBegun()) throw errors.malformed(provider, "no candidates");
  return { reply, chunks };
}

/** Throws a `GoogleError` where the body reports an error or is no response. */
const completionOf = (text: string, request: GenerateRequest): ModelCompletion =>
  readWhole(text, request).reply.whole();

/** The same, as chunks. */
export function* chunksOfWhole(text: string, request: GenerateRequest): Generator<ModelStreamChunk, void> {
  const { reply, chunks } = readWhole(text, request);
  yield* chunks;
  yield doneChunk(reply.whole());
}

/**
 * The chunks of a stream, the last of which is `done`. It goes on behind a finish reason, e.g. with a signature, so it is
 * whole where it ends after one. Throws a `GoogleError` where it ends before.
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
  yield doneChunk(reply.whole());
}
