import type { ModelProvider } from "@jaf/core";
import { isUnstreamed, post, streamed, wholeText } from "@jaf/model-http";
import { GoogleCacheRegistry } from "./cache-registry.ts";
import { type GoogleProviderOptions, openEndpoint, parseOptions } from "./options.ts";
import { chunksOf, chunksOfWhole, completionOf } from "./reply/stream.ts";
import { postCached } from "./request/prompt-cache.ts";
import { type GenerateRequest, generateRequest } from "./request/request.ts";

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
    return postCached({ request, endpoint, registry, send });
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
