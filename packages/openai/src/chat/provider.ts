import type { ModelCompletion } from "@jaf/core";
import { present } from "@jaf/memory/engine";
import { fieldsOf, isObject, listOf, parseServiceOptions, responseJson } from "@jaf/model-http";
import { openEndpoint } from "../endpoint.ts";
import { errors } from "../error.ts";
import { type OpenAIProvider, type OpenAIRequest, openAIProvider } from "../provider.ts";
import { type OpenAIProviderOptions, optionsSchema } from "./options.ts";
import { chatRequest } from "./request/body.ts";
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
  const parsed = parseServiceOptions(optionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/chat/completions", factory });
  return openAIProvider({
    endpoint,
    requestOf: (...asked) => chatRequest(asked, parsed, endpoint),
    streamFields: parsed.streamUsage ? { stream_options: { include_usage: true } } : {},
    completionOf,
    chunksOf,
  });
}

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no completion. */
function completionOf(text: string, request: OpenAIRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
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
    ...present({ usage }),
  };
}
