import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import {
  type Fields,
  isUnstreamed,
  type ModelService,
  parseServiceOptions,
  post,
  streamed,
  wholeText,
} from "@jaf/model-http";
import { chatCompletionOf } from "./chat/reply.ts";
import { chatRequest } from "./chat/request.ts";
import { chatChunksOf } from "./chat/stream.ts";
import {
  chatOptionsSchema,
  type OpenAIProviderOptions,
  type OpenAIResponsesProviderOptions,
  openEndpoint,
  responsesOptionsSchema,
} from "./options.ts";
import type { Asked, OpenAIRequest } from "./request/request.ts";
import { responsesCompletionOf } from "./responses/reply.ts";
import { responsesRequest } from "./responses/request.ts";
import { responsesChunksOf } from "./responses/stream.ts";
import { lastChunks } from "./sources.ts";

/**
 * Creates a model provider for OpenAI's Chat Completions API and compatible endpoints.
 *
 * Replies are stored with all their fields, including those that a gateway adds. They are sent back unchanged only to
 * their origin, `{ provider, api: "chat", model }`. Other models get their text and tool calls.
 *
 * Model calls reject with an `OpenAIError`, the error of `fetch`, or the signal's abort reason. The provider doesn't
 * retry; the engine does.
 *
 * @throws TypeError if an option is invalid or OpenAI's key is missing.
 *
 * @example
 * ```ts
 * import { createOpenAIProvider } from "@jaf/openai";
 *
 * export const openai = createOpenAIProvider({ model: "gpt-5-mini" }); // OPENAI_API_KEY, OPENAI_BASE_URL
 * export const ollama = createOpenAIProvider({ baseURL: "http://localhost:11434/v1", model: "qwen3" });
 * ```
 */
export function createOpenAIProvider(options: OpenAIProviderOptions = {}): OpenAIProvider {
  const factory = "createOpenAIProvider";
  const parsed = parseServiceOptions(chatOptionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/chat/completions", factory });
  return openAIProvider({
    defaultModel: parsed.model,
    endpoint,
    requestOf: (...asked) => chatRequest(asked, parsed, endpoint),
    streamFields: parsed.streamUsage ? { stream_options: { include_usage: true } } : {},
    completionOf: chatCompletionOf,
    chunksOf: chatChunksOf,
  });
}

/**
 * Creates a model provider for OpenAI's Responses API.
 *
 * The output items of a response are stored completely and in order: encrypted reasoning, items of OpenAI's own tools,
 * annotations, items of unknown types. They are sent back unchanged only to their origin,
 * `{ provider, api: "responses", model }`. Other models get their text and tool calls. Each request sends the whole
 * conversation, and by default OpenAI stores none of it (`store: false`).
 *
 * Model calls reject with an `OpenAIError`, the error of `fetch`, or the signal's abort reason. The provider doesn't
 * retry; the engine does.
 *
 * @throws TypeError if an option is invalid or OpenAI's key is missing.
 *
 * @example
 * ```ts
 * import { createOpenAIResponsesProvider } from "@jaf/openai";
 *
 * export const modelProvider = createOpenAIResponsesProvider({ model: "gpt-5.1", reasoningSummary: "auto" });
 * ```
 */
export function createOpenAIResponsesProvider(options: OpenAIResponsesProviderOptions = {}): OpenAIProvider {
  const factory = "createOpenAIResponsesProvider";
  const parsed = parseServiceOptions(responsesOptionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/responses", factory });
  return openAIProvider({
    defaultModel: parsed.model,
    endpoint,
    requestOf: (...asked) => responsesRequest(asked, parsed, endpoint),
    streamFields: {},
    completionOf: responsesCompletionOf,
    chunksOf: responsesChunksOf,
  });
}

/** A model provider for OpenAI's APIs and compatible endpoints, for agents with any context. It can stream. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type OpenAIProvider = Required<ModelProvider<any>>;

/** One of OpenAI's APIs. */
interface Api<Request extends OpenAIRequest> {
  readonly defaultModel: string | undefined;
  readonly endpoint: ModelService;
  readonly requestOf: (...asked: Asked) => Promise<Request>;
  /** Additional body fields of streaming requests. */
  readonly streamFields: Fields;
  /** Parses the body of a 200. Throws an `OpenAIError` if it reports an error or isn't a reply. */
  readonly completionOf: (text: string, request: Request) => ModelCompletion;
  readonly chunksOf: (
    events: AsyncIterable<string>,
    request: Request,
  ) => AsyncGenerator<ModelStreamChunk, void>;
}

function openAIProvider<Request extends OpenAIRequest>({
  defaultModel,
  endpoint,
  requestOf,
  streamFields,
  completionOf,
  chunksOf,
}: Api<Request>): OpenAIProvider {
  return {
    service: endpoint.provider,
    defaultModel,
    getCompletion: async (...asked) => {
      const request = await requestOf(...asked);
      const { signal } = asked[2];
      const response = await post(endpoint, request.body, signal);
      return completionOf(await wholeText(response, endpoint, signal), request);
    },
    getCompletionStream: async function* (...asked) {
      const request = await requestOf(...asked);
      const { signal } = asked[2];
      const response = await post(endpoint, { ...request.body, stream: true, ...streamFields }, signal);
      if (isUnstreamed(response))
        yield* chunksOfUnstreamed(completionOf(await wholeText(response, endpoint, signal), request));
      else yield* streamed(response, (events) => chunksOf(events, request), { service: endpoint, signal });
    },
  };
}

/** The chunks of a reply that an endpoint sent in one piece, although the request asked for a stream. */
function* chunksOfUnstreamed(completion: ModelCompletion): Generator<ModelStreamChunk> {
  const { content } = completion.message ?? {};
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  for (const part of parts) {
    const text = partText(part);
    if (text !== undefined && text !== "") yield { type: "text_delta", text };
  }
  yield* lastChunks(completion);
}
