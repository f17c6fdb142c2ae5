import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import {
  doneChunk,
  type Fields,
  isUnstreamed,
  type ModelService,
  post,
  streamed,
  type ToolNames,
  wholeText,
} from "@jaf/model-http";

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type OpenAIProvider = Required<ModelProvider<any>>;

/** What a model is asked by. */
export type Asked = Parameters<OpenAIProvider["getCompletion"]>;

export type AnyAgent = Asked[1];

/** A request, and what is needed to understand its reply. */
export interface OpenAIRequest {
  readonly body: Fields;
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** Names, as the agent has them, of tools that take text and go out as functions of one text. */
  readonly textFunctions: ReadonlySet<string>;
}

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

export function openAIProvider({
  endpoint,
  requestOf,
  streamFields,
  completionOf,
  chunksOf,
}: Api): OpenAIProvider {
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
