import type { ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import {
  doneChunk,
  type Fields,
  fieldsOf,
  isSource,
  isUnstreamed,
  listOf,
  type ModelService,
  post,
  streamed,
  wholeText,
} from "@jaf/model-http";
import { type AnthropicProviderOptions, openEndpoint, type ParsedOptions, parseOptions } from "./options.ts";
import { isCall, sendable, type WireReply } from "./reply/message.ts";
import { completionOf, joined, replyOf } from "./reply/reply.ts";
import { replyPieces } from "./reply/stream.ts";
import { type MessagesRequest, messagesRequest, withContainer } from "./request/request.ts";

/**
 * Creates a model provider for Anthropic's Messages API and compatible services.
 *
 * Replies are stored completely, block by block. They are sent back unchanged only to their origin,
 * `{ provider, api: "messages", model }`. Other models get their text and tool calls.
 *
 * Model calls reject with an `AnthropicError`, the error of `fetch`, or the signal's abort reason. The provider sends
 * further requests only to continue a paused reply (`pause_turn`, `compaction`). It doesn't retry; the engine does.
 *
 * @throws TypeError if an option is invalid or Anthropic's key is missing.
 *
 * @example
 * ```ts
 * import { createAnthropicProvider } from "@jaf/anthropic";
 *
 * export const modelProvider = createAnthropicProvider({ model: "claude-opus-5-5" }); // ANTHROPIC_API_KEY
 * ```
 */
export function createAnthropicProvider(options: AnthropicProviderOptions = {}): AnthropicProvider {
  const parsed = parseOptions(options);
  const service = openEndpoint(parsed);

  return {
    service: service.provider,
    defaultModel: parsed.model,
    getCompletion: async (state, agent, config) => {
      const request = messagesRequest({ state, agent, config }, parsed, service);
      const call: ServiceCall = {
        service: withBetas(service, request.betas),
        request,
        signal: config.signal,
      };
      let reply = await ask(call, request.body);
      for (let count = 0; isPaused(reply, count, parsed); count++)
        reply = joined(reply, await ask(call, continued(request.body, reply)));
      return completionOf(reply, request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const request = messagesRequest({ state, agent, config }, parsed, service);
      const call: ServiceCall = {
        service: withBetas(service, request.betas),
        request,
        signal: config.signal,
      };
      let reply = yield* askStreamed(call, request.body);
      for (let count = 0; isPaused(reply, count, parsed); count++) {
        const next = yield* askStreamed(call, continued(request.body, reply));
        reply = joined(reply, next);
      }
      const completion = completionOf(reply, request);
      yield* sourcesIn(completion);
      yield doneChunk(completion);
    },
  };
}

/** A model provider for Anthropic's Messages API, for agents with any context. It can stream. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type AnthropicProvider = Required<ModelProvider<any>>;

interface ServiceCall {
  readonly service: ModelService;
  readonly request: MessagesRequest;
  readonly signal: AbortSignal | undefined;
}

/** Adds to the beta features in the options' headers. */
function withBetas(service: ModelService, betas: readonly string[]): ModelService {
  const given = service.headers["anthropic-beta"];
  if (betas.length === 0) return service;
  const all = [...(given === undefined ? [] : [given]), ...betas].join(",");
  return { ...service, headers: { ...service.headers, "anthropic-beta": all } };
}

/** The service stops for these in the middle of a reply. */
const PAUSES: ReadonlySet<string | undefined> = new Set(["pause_turn", "compaction"]);

/** A reply with calls goes on in the next request, with their results. */
const isPaused = (
  { stopReason, content }: WireReply,
  count: number,
  { maxContinuations }: ParsedOptions,
): boolean =>
  PAUSES.has(stopReason) && count < maxContinuations && content.length > 0 && !content.some(isCall);

async function ask({ service, signal }: ServiceCall, body: Fields): Promise<WireReply> {
  const response = await post(service, body, signal);
  return replyOf(await wholeText(response, service, signal), service.provider);
}

async function* askStreamed(
  { service, request, signal }: ServiceCall,
  body: Fields,
): AsyncGenerator<ModelStreamChunk, WireReply> {
  const response = await post(service, { ...body, stream: true }, signal);
  if (isUnstreamed(response)) {
    const reply = replyOf(await wholeText(response, service, signal), service.provider);
    for (const { type, text } of reply.content) {
      if (type === "text" && typeof text === "string" && text !== "") yield { type: "text_delta", text };
    }
    return reply;
  }
  const pieces = replyPieces(request);
  yield* streamed(response, pieces.chunksOf, { service, signal });
  return pieces.whole();
}

/** The request that continues a paused reply: the same request with the incomplete reply appended, in its container. */
const continued = (body: Fields, { content, fields }: WireReply): Fields => ({
  ...withContainer(body, fieldsOf(fields["container"])["id"]),
  messages: [...listOf(body["messages"]), { role: "assistant", content: content.flatMap(sendable) }],
});

/** The chunks of the reply's sources, which are complete only with it. */
const sourcesIn = ({ message }: ModelCompletion): readonly ModelStreamChunk[] => {
  const content = message?.content;
  return Array.isArray(content) ? content.filter(isSource).map((part) => ({ type: "part", part })) : [];
};
