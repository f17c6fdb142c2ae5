import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import { fieldsOf, isObject, isUnstreamed, listOf, post, streamed, wholeText } from "@jaf/model-http";
import { type Endpoint, openEndpoint } from "../endpoint.ts";
import { readEnvironment } from "../environment.ts";
import { errors } from "../error.ts";
import { parseOptions } from "../options.ts";
import type { OpenAIProvider } from "../provider.ts";
import { responseJson } from "../response-json.ts";
import { chunksOfUnstreamed } from "../unstreamed-reply.ts";
import { type OpenAIProviderOptions, optionsSchema } from "./options.ts";
import { type ChatRequest, chatRequest } from "./request/body.ts";
import { choiceError } from "./response/choice-error.ts";
import { messageOf } from "./response/message.ts";
import { chunksOf } from "./response/stream.ts";
import { usageOf } from "./response/usage.ts";

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
  const parsed = parseOptions(optionsSchema(), options, factory);
  const environment = readEnvironment();
  const endpoint = openEndpoint({ options: parsed, environment, path: "/chat/completions", factory });

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

async function* chunks(
  response: Response,
  request: ChatRequest,
  asked: { readonly service: Endpoint; readonly signal: AbortSignal | undefined },
): AsyncGenerator<ModelStreamChunk, void> {
  if (isUnstreamed(response)) {
    const text = await wholeText(response, asked.service, asked.signal);
    yield* chunksOfUnstreamed(completionOf(text, request), request.origin);
  } else yield* streamed(response, (events) => chunksOf(events, request), asked);
}

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no completion. */
function completionOf(text: string, request: ChatRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider);
  const error = choiceError(body);
  if (error !== undefined && error !== null) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["choices"])) throw errors.malformed(provider, "no completion");
  const choice = fieldsOf(listOf(body["choices"])[0]);
  if (choice["finish_reason"] === "error") throw errors.reported(undefined, provider);
  const usage = usageOf(body["usage"]);
  const finishReason = choice["finish_reason"];
  return {
    message: messageOf(fieldsOf(choice["message"]), request),
    origin: request.origin,
    ...(typeof finishReason === "string" ? { finish_reason: finishReason } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}
