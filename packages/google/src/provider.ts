import type { ModelProvider } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { isUnstreamed, post, streamed, wholeText } from "@jaf/model-http";
import { GoogleCacheRegistry } from "./cache-registry.ts";
import { type GoogleProviderOptions, openEndpoint, parseOptions } from "./options.ts";
import { openReply, type Reply } from "./reply/collect.ts";
import { chunksOf, chunksOfWhole, lastChunks } from "./reply/stream.ts";
import { postCached } from "./request/prompt-cache.ts";
import { type GenerateRequest, generateRequest } from "./request/request.ts";

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

  /** Asks for a reply, and yields its responses: further ones while it is longer than one may be. */
  async function* ask(request: GenerateRequest, reply: Reply, method: string, signal?: AbortSignal) {
    const service = endpoint.at(`/${request.path}:${method}`);
    let token: string | undefined;
    do {
      const continued = present({ continuationToken: token });
      const send = (body: GenerateRequest["body"]) => post(service, { ...body, ...continued }, signal);
      yield await postCached({ request, endpoint, registry, send });
      token = reply.continuation(token);
    } while (token !== undefined);
  }

  return {
    defaultModel: parsed.model,
    getCompletion: async (state, agent, config) => {
      const { signal } = config;
      const request = generateRequest({ state, agent, config }, parsed, endpoint.provider);
      const reply = openReply(request);
      for await (const response of ask(request, reply, "generateContent", signal))
        chunksOfWhole(await wholeText(response, endpoint.at(""), signal), reply, endpoint.provider);
      return reply.end().completion;
    },
    getCompletionStream: async function* (state, agent, config) {
      const { signal } = config;
      const { provider } = endpoint;
      const service = endpoint.at("");
      const request = generateRequest({ state, agent, config }, parsed, provider);
      const reply = openReply(request);
      for await (const response of ask(request, reply, "streamGenerateContent?alt=sse", signal)) {
        if (isUnstreamed(response))
          yield* chunksOfWhole(await wholeText(response, service, signal), reply, provider);
        else yield* streamed(response, (events) => chunksOf(events, reply, provider), { service, signal });
      }
      yield* lastChunks(reply);
    },
  };
}

/** A model provider for Gemini's `generateContent` API, for agents with any context. It can stream. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type GoogleProvider = Required<ModelProvider<any>>;
