import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  collectSources,
  contentOf,
  type Fields,
  fieldsOf,
  isObject,
  parseJson,
  textInputIn,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import {
  inputIn,
  isServerCall,
  partOf,
  textBlocks,
  textPartOf,
  type WireBlock,
  withoutEmpty,
} from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";
import type { Executor, OfferedTools } from "../request/service-tools.ts";
import { citationsIn, fetchedPages } from "./citations.ts";
import { furtherUsage } from "./usage.ts";

/** A complete reply, in the service's format. */
export interface WireReply {
  /** The input of a streamed call is JSON text. */
  readonly content: readonly WireBlock[];
  readonly stopReason: string | undefined;
  /** The usage of each request for the reply, in the service's format. */
  readonly usages: readonly Fields[];
  /** All other fields. */
  readonly fields: Fields;
}

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

/**
 * The message of a reply. Its content is a string if there is only one text, possibly followed by calls; else parts, with a
 * `tool-call` part at the place of each call. `providerMetadata.anthropic` holds the reply's other fields.
 */
export function messageOf(reply: WireReply, { tools, origin }: MessagesRequest): ReplyMessage {
  const { type: _, role: __, stop_reason: ___, id, model: begun, ...told } = withoutEmpty(reply.fields);
  // A stream begins with the name of the model that may decline.
  const { model = begun } = fieldsOf(reply.content.findLast(isFallback)?.["to"]);
  const usage = furtherUsage(reply.usages);
  const fields = {
    ...told,
    // The version behind a name, or a fallback model.
    ...(model === origin.model ? {} : present({ model })),
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
  };
  const further = {
    ...(typeof id === "string" ? { id } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { providerMetadata: { anthropic: fields } }),
  };
  if (reply.stopReason === "refusal") return { content: [refusalOf(reply)], ...further };
  const content = withoutDeclined(reply.content);
  // A call that the reply itself answers was run by the service.
  const answered = new Set(content.filter(({ type }) => type === "tool_result").map(idOfResult));
  const isAsked = (block: WireBlock): boolean => isCall(block) && !answered.has(block["id"]);
  const cut = CUTS.has(reply.stopReason) ? content.at(-1) : undefined;
  const calls = content
    .filter(isAsked)
    .map((block) => callOf(block === cut ? unfinished(block) : block, tools));
  return {
    content: contentOf(partsOf(content, isAsked)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...further,
  };
}

const CUTS: ReadonlySet<string | undefined> = new Set(["max_tokens", "model_context_window_exceeded"]);

/** A call that the limit has cut off. Its input so far can be one that the tool takes, and must not run. */
const unfinished = (block: WireBlock): WireBlock =>
  typeof block["input"] === "string"
    ? block
    : { ...block, input: JSON.stringify(block["input"] ?? {}).slice(0, -1) };

export const isCall = ({ type }: WireBlock): boolean => type === "tool_use";

const isFallback = ({ type }: WireBlock): boolean => type === "fallback";

/** Leaves out the calls of a model that declined before a fallback model went on: nothing may run or answer them. */
function withoutDeclined(content: readonly WireBlock[]): readonly WireBlock[] {
  const last = content.findLastIndex(isFallback);
  return content.filter((block, index) => index > last || !isCall(block));
}

const idOfResult = ({ tool_use_id: id }: WireBlock): unknown => id;

function partsOf(
  blocks: readonly WireBlock[],
  isAsked: (block: WireBlock) => boolean,
): readonly ContentPart[] {
  const called = blocks.filter((block) => isServerCall(block) || isCall(block));
  const toolNames = new Map(called.map(({ id, name }) => [id, String(name)]));
  const parts: ContentPart[] = [];
  const sources = collectSources();
  const pages = fetchedPages(blocks);
  let texts: WireBlock[] = [];
  const flush = (): void => {
    if (texts.length > 0) parts.push(textPartOf(texts), ...sources.partsOf(citationsIn(texts, pages)));
    texts = [];
  };
  for (const block of blocks) {
    if (block.type === "text") {
      texts.push(block);
      continue;
    }
    flush();
    if (isAsked(block)) parts.push({ type: "tool-call", id: block["id"] });
    else parts.push(partOf(block, toolNames));
  }
  flush();
  return parts;
}

function callOf(block: WireBlock, { executorOf, textTools }: OfferedTools): ModelToolCall {
  const { type: _, id, name: __, input: ___, ...further } = block;
  const executor = executorOf(block);
  const { name, isMissing } = executor;
  if (isMissing)
    throw errors.configuration(
      `the model called a tool that Anthropic defines and the application runs: add a tool named '${name}' to the agent`,
    );
  const text = argumentsOf(block, executor);
  const given: Fields = { ...withoutEmpty(further), ...(typeof id === "string" ? { id } : {}) };
  return textTools.has(name)
    ? { ...given, type: "custom", custom: { name, input: textInputIn(text) } }
    : { ...given, type: "function", function: { name, arguments: text } };
}

/** The arguments of a call as JSON text. The tool of a toolset gets the name of the called member as `action`. */
export function argumentsOf({ name: action, input: sent }: WireBlock, { isToolset }: Executor): string {
  const input = sent ?? {};
  const given = isToolset && typeof input === "string" ? parseJson(input) : input;
  if (isToolset && isObject(given)) return JSON.stringify({ ...given, action });
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** The block as sent by the service, without blank texts, which it refuses, and with its JSON input parsed. */
export function sendable(block: WireBlock): readonly WireBlock[] {
  if (block.type === "text" && typeof block["text"] === "string" && textBlocks(block["text"]).length === 0)
    return [];
  return [isCall(block) || isServerCall(block) ? { ...block, input: inputIn(block) } : block];
}

const DECLINED = "The model declined to answer.";

/**
 * A refusal stops the reply anywhere, even inside a word or call. So its content is neither text nor calls, but kept in the
 * metadata.
 */
function refusalOf({ content, fields }: WireReply): ContentPart {
  const { explanation } = fieldsOf(fields["stop_details"]);
  return {
    type: "refusal",
    refusal: typeof explanation === "string" && explanation.trim() !== "" ? explanation : DECLINED,
    ...(content.length === 0
      ? {}
      : { providerMetadata: { anthropic: { content: content.flatMap(sendable) } } }),
  };
}
