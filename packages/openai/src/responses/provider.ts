import { parseServiceOptions } from "@jaf/model-http";
import { openEndpoint } from "../endpoint.ts";
import { type OpenAIProvider, openAIProvider } from "../provider.ts";
import { type OpenAIResponsesProviderOptions, optionsSchema } from "./options.ts";
import { responsesRequest } from "./request/body.ts";
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
  const parsed = parseServiceOptions(optionsSchema, options, factory);
  const endpoint = openEndpoint({ options: parsed, path: "/responses", factory });
  return openAIProvider({
    endpoint,
    requestOf: (...asked) => responsesRequest(asked, parsed, endpoint),
    streamFields: {},
    completionOf,
    chunksOf,
  });
}
