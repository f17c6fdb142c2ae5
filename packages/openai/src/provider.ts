import type { ModelProvider, ModelStreamChunk } from "@jaf/core";
import { isWholeAnswer, post, streamed, wholeText } from "@jaf/model-http";
import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { readEnvironment } from "./environment.ts";
import { type OpenAIProviderOptions, parseOptions } from "./options.ts";
import { type ChatRequest, chatRequest } from "./request/body.ts";
import { completionOf } from "./response/completion.ts";
import { chunksOf } from "./response/stream.ts";

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
  const parsed = parseOptions(options);
  const endpoint = openEndpoint(parsed, readEnvironment());

  return {
    getCompletion: async (state, agent, config) => {
      const request = chatRequest({ state, agent, config }, parsed, endpoint);
      const response = await post(endpoint, request.body, config.signal);
      return completionOf(await wholeText(response, endpoint, config.signal), request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const request = chatRequest({ state, agent, config }, parsed, endpoint);
      const usage = parsed.streamUsage ? { stream_options: { include_usage: true } } : {};
      const { signal } = config;
      const response = await post(endpoint, { ...request.body, stream: true, ...usage }, signal);
      yield* chunks(response, request, { service: endpoint, signal });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type OpenAIProvider = Required<ModelProvider<any>>;

async function* chunks(
  response: Response,
  request: ChatRequest,
  asked: { readonly service: Endpoint; readonly signal: AbortSignal | undefined },
): AsyncGenerator<ModelStreamChunk, void> {
  if (!isWholeAnswer(response)) {
    yield* streamed(response, (events) => chunksOf(events, request), asked);
    return;
  }
  const { message, usage, finish_reason } = completionOf(
    await wholeText(response, asked.service, asked.signal),
    request,
  );
  const text = message?.content;
  if (typeof text === "string" && text !== "") yield { type: "text_delta", text };
  yield {
    type: "done",
    message,
    origin: request.origin,
    ...(usage === undefined ? {} : { usage }),
    ...(typeof finish_reason === "string" ? { finishReason: finish_reason } : {}),
  };
}
