import type { ModelProvider, ModelStreamChunk } from "@jaf/core";
import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { readEnvironment } from "./environment.ts";
import { cutError, malformedError, OpenAIError, statusError } from "./error.ts";
import { type OpenAIProviderOptions, parseOptions } from "./options.ts";
import { type ChatRequest, chatRequest } from "./request/body.ts";
import { completionOf } from "./response/completion.ts";
import { readEvents } from "./response/sse.ts";
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
      const response = await send(request.body, endpoint, config.signal);
      return completionOf(await whileWhole(response.text(), request, config.signal), request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const request = chatRequest({ state, agent, config }, parsed, endpoint);
      const usage = parsed.streamUsage ? { stream_options: { include_usage: true } } : {};
      const response = await send({ ...request.body, stream: true, ...usage }, endpoint, config.signal);
      try {
        yield* streamed(response, request);
      } catch (thrown) {
        throw bodyFailure(thrown, request, config.signal);
      }
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type OpenAIProvider = Required<ModelProvider<any>>;

async function send(
  body: Readonly<Record<string, unknown>>,
  { fetch, url, headers, provider }: Endpoint,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(url, signal === undefined ? request : { ...request, signal });
  if (!response.ok) throw await statusError(response, { provider, hasKey: "authorization" in headers });
  return response;
}

/** A body that can't be read to its end: whatever the client throws then, the connection is gone. */
const bodyFailure = (thrown: unknown, { origin }: ChatRequest, signal: AbortSignal | undefined): unknown =>
  thrown instanceof OpenAIError || signal?.aborted === true ? thrown : cutError(origin.provider, thrown);

const whileWhole = (
  text: Promise<string>,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): Promise<string> =>
  text.catch((thrown: unknown) => {
    throw bodyFailure(thrown, request, signal);
  });

async function* streamed(response: Response, request: ChatRequest): AsyncGenerator<ModelStreamChunk, void> {
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("application/json")) {
    // It was asked for a stream, and answers all the same: with the reply in one piece, or with an error.
    const { message, usage, finish_reason } = completionOf(await response.text(), request);
    const text = message?.content;
    if (typeof text === "string" && text !== "") yield { type: "text_delta", text };
    yield {
      type: "done",
      message,
      origin: request.origin,
      ...(usage === undefined ? {} : { usage }),
      ...(typeof finish_reason === "string" ? { finishReason: finish_reason } : {}),
    };
    return;
  }
  if (type.includes("text/html") || response.body === null) {
    await response.body?.cancel();
    throw malformedError(request.origin.provider, "no stream");
  }
  yield* chunksOf(readEvents(response.body), request);
}
