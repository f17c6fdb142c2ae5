import type { ModelStreamChunk } from "@jaf/core";
import { isUnstreamed, post, streamed, wholeText } from "@jaf/model-http";
import { type Endpoint, openEndpoint } from "../endpoint.ts";
import { readEnvironment } from "../environment.ts";
import { parseOptions } from "../options.ts";
import type { OpenAIProvider } from "../provider.ts";
import { chunksOfUnstreamed } from "../unstreamed-reply.ts";
import { type OpenAIResponsesProviderOptions, optionsSchema } from "./options.ts";
import { type ResponsesRequest, responsesRequest } from "./request/body.ts";
import { completionOf } from "./response/completion.ts";
import { chunksOf } from "./response/stream.ts";

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
  const parsed = parseOptions(optionsSchema(), options, factory);
  const environment = readEnvironment();
  const endpoint = openEndpoint({ options: parsed, environment, path: "/responses", factory });

  return {
    getCompletion: async (state, agent, config) => {
      const request = responsesRequest({ state, agent, config }, parsed, endpoint);
      const response = await post(endpoint, request.body, config.signal);
      return completionOf(await wholeText(response, endpoint, config.signal), request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const request = responsesRequest({ state, agent, config }, parsed, endpoint);
      const { signal } = config;
      const response = await post(endpoint, { ...request.body, stream: true }, signal);
      yield* chunks(response, request, { service: endpoint, signal });
    },
  };
}

async function* chunks(
  response: Response,
  request: ResponsesRequest,
  asked: { readonly service: Endpoint; readonly signal: AbortSignal | undefined },
): AsyncGenerator<ModelStreamChunk, void> {
  if (isUnstreamed(response)) {
    const text = await wholeText(response, asked.service, asked.signal);
    yield* chunksOfUnstreamed(completionOf(text, request), request.origin);
  } else yield* streamed(response, (events) => chunksOf(events, request), asked);
}
