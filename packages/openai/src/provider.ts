import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { partText } from "@jaf/memory/internal";
import {
  doneChunk,
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

/**
 * A model by Chat Completions: of OpenAI, or of any endpoint that is compatible with it.
 *
 * The model's reply is kept whole, with what a gateway adds beside content and calls, and goes back as it came to the
 * origin `{ provider, api: "chat", model }` alone. Others get what was said and called.
 *
 * A call throws an `OpenAIError`, what `fetch` throws, or the reason of the signal's abort. It is made once: the engine
 * decides what is tried again.
 *
 * @throws TypeError where an option is none, or where OpenAI is to be asked without a key.
 *
 * @example
 * const modelProvider = createOpenAIProvider({ model: "gpt-5.1" }); // OPENAI_API_KEY, OPENAI_BASE_URL
 */
export function createOpenAIProvider(options: OpenAIProviderOptions = {}): OpenAIProvider {
  const factory = "createOpenAIProvider";
  const parsed = parseServiceOptions(chatOptionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/chat/completions", factory });
  return openAIProvider({
    endpoint,
    requestOf: (...asked) => chatRequest(asked, parsed, endpoint),
    streamFields: parsed.streamUsage ? { stream_options: { include_usage: true } } : {},
    completionOf: chatCompletionOf,
    chunksOf: chatChunksOf,
  });
}

/**
 * A model by OpenAI's Responses API.
 *
 * The output items of a response are kept whole, in their order: reasoning in encrypted form, the items of OpenAI's own
 * tools, annotations, those of types that nobody knows yet. They go back as they came to the origin
 * `{ provider, api: "responses", model }` alone. Others get what was said and called. The whole conversation is sent each
 * time, and by default OpenAI keeps nothing of it (`store: false`).
 *
 * A call throws an `OpenAIError`, what `fetch` throws, or the reason of the signal's abort. It is made once: the engine
 * decides what is tried again.
 *
 * @throws TypeError where an option is none, or where OpenAI is to be asked without a key.
 *
 * @example
 * const modelProvider = createOpenAIResponsesProvider({ model: "gpt-5.1" }); // OPENAI_API_KEY, OPENAI_BASE_URL
 */
export function createOpenAIResponsesProvider(options: OpenAIResponsesProviderOptions = {}): OpenAIProvider {
  const factory = "createOpenAIResponsesProvider";
  const parsed = parseServiceOptions(responsesOptionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/responses", factory });
  return openAIProvider({
    endpoint,
    requestOf: (...asked) => responsesRequest(asked, parsed, endpoint),
    streamFields: {},
    completionOf: responsesCompletionOf,
    chunksOf: responsesChunksOf,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type OpenAIProvider = Required<ModelProvider<any>>;

/** One of OpenAI's APIs. */
interface Api {
  readonly endpoint: ModelService;
  readonly requestOf: (...asked: Asked) => OpenAIRequest;
  /** Of the body, what else a stream is asked for with. */
  readonly streamFields: Fields;
  /** The body of a 200. Throws an `OpenAIError` where it reports an error or is no reply. */
  readonly completionOf: (text: string, request: OpenAIRequest) => ModelCompletion;
  readonly chunksOf: (
    events: AsyncIterable<string>,
    request: OpenAIRequest,
  ) => AsyncGenerator<ModelStreamChunk, void>;
}

function openAIProvider({ endpoint, requestOf, streamFields, completionOf, chunksOf }: Api): OpenAIProvider {
  return {
    getCompletion: async (...asked) => {
      const request = requestOf(...asked);
      const { signal } = asked[2];
      const response = await post(endpoint, request.body, signal);
      return completionOf(await wholeText(response, endpoint, signal), request);
    },
    getCompletionStream: async function* (...asked) {
      const request = requestOf(...asked);
      const { signal } = asked[2];
      const response = await post(endpoint, { ...request.body, stream: true, ...streamFields }, signal);
      if (isUnstreamed(response))
        yield* chunksOfUnstreamed(completionOf(await wholeText(response, endpoint, signal), request));
      else yield* streamed(response, (events) => chunksOf(events, request), { service: endpoint, signal });
    },
  };
}

/** The chunks of a reply that came in one piece, though a stream was asked for. */
function* chunksOfUnstreamed(completion: ModelCompletion): Generator<ModelStreamChunk> {
  const { content } = completion.message ?? {};
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => partText(part) ?? "").join("");
  if (text !== "") yield { type: "text_delta", text };
  yield doneChunk(completion);
}
