import type { ModelProvider } from "@jaf/core";
import { isUnstreamed, post, streamed, wholeText } from "@jaf/model-http";
import { GoogleCacheRegistry } from "./cache-registry.ts";
import { type GoogleProviderOptions, openEndpoint, parseOptions } from "./options.ts";
import { chunksOf, chunksOfWhole, completionOf } from "./reply/stream.ts";
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

  const ask = (request: GenerateRequest, method: string, signal: AbortSignal | undefined) => {
    const service = endpoint.at(`/${request.path}:${method}`);
    const send = (body: GenerateRequest["body"]) => post(service, body, signal);
    return postCached({ request, endpoint, registry, send });
  };

  return {
    defaultModel: parsed.model,
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

/** A model provider for Gemini's `generateContent` API, for agents with any context. It can stream. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type GoogleProvider = Required<ModelProvider<any>>;
