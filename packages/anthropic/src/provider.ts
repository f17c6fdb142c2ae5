import type { ModelProvider, ModelStreamChunk } from "@jaf/core";
import {
  doneChunk,
  type Fields,
  isObject,
  isUnstreamed,
  listOf,
  type ModelService,
  parseJson,
  post,
  streamed,
  wholeText,
} from "@jaf/model-http";
import { type AnthropicProviderOptions, openEndpoint, type ParsedOptions, parseOptions } from "./options.ts";
import { textBlocks, type WireBlock } from "./parts.ts";
import type { WireReply } from "./reply/message.ts";
import { completionOf, joined, replyOf } from "./reply/reply.ts";
import { replyPieces } from "./reply/stream.ts";
import { type MessagesRequest, messagesRequest } from "./request/request.ts";

/**
 * A model by Anthropic's Messages: of Anthropic, or of any service that speaks them.
 *
 * The model's reply is kept whole, block by block, and goes back as it came to the origin `{ provider, api: "messages", model }`
 * alone. Others get what was said and called.
 *
 * A call throws an `AnthropicError`, what `fetch` throws, or the reason of the signal's abort. It is made once, and again only
 * to go on with a reply that the service has paused (`pause_turn`): the engine decides what is tried again.
 *
 * @throws TypeError where an option is none, or where Anthropic is to be asked without a key.
 *
 * @example
 * const modelProvider = createAnthropicProvider({ model: "claude-opus-5-5" }); // ANTHROPIC_API_KEY
 */
export function createAnthropicProvider(options: AnthropicProviderOptions = {}): AnthropicProvider {
  const parsed = parseOptions(options);
  const service = openEndpoint(parsed);

  return {
    getCompletion: async (state, agent, config) => {
      const request = messagesRequest({ state, agent, config }, parsed, service);
      const call: ServiceCall = {
        service: withBetas(service, request.betas),
        request,
        signal: config.signal,
      };
      let reply = await ask(call, request.body);
      for (let count = 0; isPaused(reply, count, parsed); count++)
        reply = joined(reply, await ask(call, continued(request.body, reply.content)));
      return completionOf(reply, request);
    },
    getCompletionStream: async function* (state, agent, config) {
      const request = messagesRequest({ state, agent, config }, parsed, service);
      const call: ServiceCall = {
        service: withBetas(service, request.betas),
        request,
        signal: config.signal,
      };
      let reply = yield* askStreamed(call, request.body, 0);
      for (let count = 0; isPaused(reply, count, parsed); count++) {
        const next = yield* askStreamed(call, continued(request.body, reply.content), callsIn(reply));
        reply = joined(reply, next);
      }
      yield doneChunk(completionOf(reply, request));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type AnthropicProvider = Required<ModelProvider<any>>;

interface ServiceCall {
  readonly service: ModelService;
  readonly request: MessagesRequest;
  readonly signal: AbortSignal | undefined;
}

/** Those of the options' headers stay. */
function withBetas(service: ModelService, betas: readonly string[]): ModelService {
  const given = service.headers["anthropic-beta"];
  if (betas.length === 0) return service;
  const all = [...(given === undefined ? [] : [given]), ...betas].join(",");
  return { ...service, headers: { ...service.headers, "anthropic-beta": all } };
}

const isPaused = ({ stopReason }: WireReply, count: number, { maxContinuations }: ParsedOptions): boolean =>
  stopReason === "pause_turn" && count < maxContinuations;

const callsIn = ({ content }: WireReply): number => content.filter(({ type }) => type === "tool_use").length;

async function ask({ service, signal }: ServiceCall, body: Fields): Promise<WireReply> {
  const response = await post(service, body, signal);
  return replyOf(await wholeText(response, service, signal), service.provider);
}

async function* askStreamed(
  { service, request, signal }: ServiceCall,
  body: Fields,
  firstCall: number,
): AsyncGenerator<ModelStreamChunk, WireReply> {
  const response = await post(service, { ...body, stream: true }, signal);
  if (isUnstreamed(response)) {
    const reply = replyOf(await wholeText(response, service, signal), service.provider);
    for (const { type, text } of reply.content) {
      if (type === "text" && typeof text === "string" && text !== "") yield { type: "text_delta", text };
    }
    return reply;
  }
  const pieces = replyPieces(request, firstCall);
  yield* streamed(response, pieces.chunksOf, { service, signal });
  return pieces.whole();
}

/** The request that goes on with a reply that the service has paused: the same, with what there is of the reply behind it. */
const continued = (body: Fields, content: readonly WireBlock[]): Fields => ({
  ...body,
  messages: [...listOf(body["messages"]), { role: "assistant", content: content.flatMap(sendable) }],
});

/** As it came, but for what the service itself refuses: texts of white space, and an input that is still JSON text. */
function sendable(block: WireBlock): readonly WireBlock[] {
  if (block.type === "text" && typeof block["text"] === "string" && textBlocks(block["text"]).length === 0)
    return [];
  if (typeof block["input"] !== "string") return [block];
  const input = parseJson(block["input"]);
  return [{ ...block, input: isObject(input) ? input : {} }];
}
