import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { doneChunk, type Fields, isUnstreamed, post, streamed, wholeText } from "@jaf/model-http";
import { GoogleCacheRegistry } from "./cache-registry.ts";
import { type GoogleProviderOptions, openEndpoint, parseOptions } from "./options.ts";
import { openReply } from "./reply/collect.ts";
import { chunksOf, chunksOfWhole } from "./reply/stream.ts";
import { postCached } from "./request/prompt-cache.ts";
import { type Asked, generateRequest } from "./request/request.ts";

/**
 * Creates a model provider for Gemini's `generateContent` API.
 *
 * Replies are stored completely: thought signatures, results of Google's own tools, media, sources. They are sent back
 * unchanged only to their origin, `{ provider, api: "generate-content", model }`. Other models get their text and tool calls.
 *
 * The parts that an agent declares `cacheable` are cached as a `cachedContents` resource; see {@link GoogleCacheRegistry}.
 *
 * Model calls reject with a `GoogleError`, the error of `fetch`, or the signal's abort reason. The provider repeats a request
 * only if its cached prompt is missing or refused. It doesn't retry; the engine does.
 *
 * @throws TypeError if an option is invalid or Google's key is missing.
 *
 * @example
 * ```ts
 * import { createGoogleProvider } from "@jaf/google";
 *
 * export const modelProvider = createGoogleProvider({ model: "gemini-3-pro-preview" }); // GOOGLE_GENERATIVE_AI_API_KEY
 * ```
 */
export function createGoogleProvider(options: GoogleProviderOptions = {}): GoogleProvider {
  const parsed = parseOptions(options);
  const endpoint = openEndpoint(parsed);
  const registry = parsed.cacheRegistry ?? new GoogleCacheRegistry();

  /** Yields the chunks of a reply, and returns it whole. A reply that doesn't fit into one response goes on in further ones. */
  async function* read<Ctx>(
    asked: Asked<Ctx>,
    method: string,
  ): AsyncGenerator<ModelStreamChunk, ModelCompletion> {
    const { signal } = asked.config;
    const { provider } = endpoint;
    const request = generateRequest(asked, parsed, provider);
    const service = endpoint.at(`/${request.path}:${method}`);
    const reply = openReply(request);
    let token: string | undefined;
    let responses = 0;
    do {
      const continued = token === undefined ? {} : { continuationToken: token };
      const send = (body: Fields) => post(service, { ...body, ...continued }, signal);
      const response = await postCached({ request, endpoint, registry, send });
      if (method === WHOLE || isUnstreamed(response))
        yield* chunksOfWhole(await wholeText(response, service, signal), reply, provider);
      else yield* streamed(response, (events) => chunksOf(events, reply, provider), { service, signal });
      responses += 1;
      token = responses < MAX_RESPONSES ? reply.continuation(token) : undefined;
    } while (token !== undefined);
    const { completion, chunks } = reply.end();
    yield* chunks;
    return completion;
  }

  return {
    service: endpoint.provider,
    defaultModel: parsed.model,
    getCompletion: async (state, agent, config) => {
      const chunks = read({ state, agent, config }, WHOLE);
      for (;;) {
        const { done, value } = await chunks.next();
        if (done) return value;
      }
    },
    getCompletionStream: async function* (state, agent, config) {
      yield doneChunk(yield* read({ state, agent, config }, "streamGenerateContent?alt=sse"));
    },
  };
}

const WHOLE = "generateContent";

/** To this many responses, one model call lets a reply go on. Then it counts as cut off by its length. */
const MAX_RESPONSES = 9;

/** A model provider for Gemini's `generateContent` API, for agents with any context. It can stream. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type GoogleProvider = Required<ModelProvider<any>>;
