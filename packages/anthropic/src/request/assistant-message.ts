import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";
import {
  type CallIds,
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  inputObject,
  isSameOrigin,
  otherModelText,
  type ToolNames,
} from "@jaf/model-http";
import { blocksOf, isServerCall, isServerResult, isThinking, textBlocks, type WireBlock } from "../parts.ts";

export interface AssistantContext {
  readonly names: ToolNames;
  readonly ids: CallIds;
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly serverTools: ServerTools;
}

export interface AssistantBlocks {
  readonly blocks: readonly WireBlock[];
  /** By the id that the conversation has for the call. */
  readonly calls: ReadonlyMap<string, WireBlock>;
}

/** `answered`: the ids of calls that have a result. Anthropic takes no other call. */
export function assistantBlocks(
  message: RichMessage,
  answered: ReadonlySet<string>,
  context: AssistantContext,
): AssistantBlocks {
  const isOwn = isSameOrigin(message.origin, context.origin);
  const calls = new Map<string, WireBlock>();
  const open = (call: RichToolCall): readonly WireBlock[] => {
    if (!answered.has(call.id) || calls.has(call.id)) return [];
    const block = callBlock(call, isOwn, context);
    calls.set(call.id, block);
    return [block];
  };
  const blocks = isOwn ? ownBlocks(message, open, context) : foreignBlocks(message, open, context);
  return { blocks, calls };
}

type OpenCall = (call: RichToolCall) => readonly WireBlock[];

/** Everything that the model sent, as it came, its calls at their places between the parts. */
function ownBlocks(message: RichMessage, open: OpenCall, { serverTools }: AssistantContext): WireBlock[] {
  const calls = [...(message.tool_calls ?? [])];
  const blocks = partsOf(message).flatMap((part): readonly WireBlock[] => {
    if (part.type !== "tool-call") return blocksOf(part).filter(serverTools.isPaired);
    const index = calls.findIndex(({ id }) => id === part["id"]);
    return index === -1 ? [] : calls.splice(index, 1).flatMap(open);
  });
  blocks.push(...calls.flatMap(open));
  // A message can't end with thinking: the model stopped before it said what it had thought of.
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

function partsOf({ content, refusal }: RichMessage): readonly ContentPart[] {
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return typeof refusal === "string" ? [...parts, { type: "refusal", refusal }] : parts;
}

/** What was said and called, and nothing that only its own model understands. */
const foreignBlocks = (message: RichMessage, open: OpenCall, { foreignReasoning }: AssistantContext) => [
  ...textBlocks(otherModelText(message, foreignReasoning)),
  ...(message.tool_calls ?? []).flatMap(open),
];

/** `isOwn`: with what the model that is asked has put beside it, e.g. the `caller` of a call that code made. */
function callBlock(call: RichToolCall, isOwn: boolean, { names, ids }: AssistantContext): WireBlock {
  const {
    id: _,
    type: __,
    function: ___,
    custom: ____,
    providerMetadata: _____,
    ...further
  } = call as Fields;
  const { name } = calledTool(call);
  return {
    ...(isOwn ? further : {}),
    type: "tool_use",
    // One of its own without an id has got one of the engine's, and an application may have written others.
    id: ids.open(call.id, isOwn && VALID_ID.test(call.id)),
    name: names.toWire(name),
    input: inputObject(call),
  };
}

const VALID_ID = /^[a-zA-Z0-9_-]+$/;

/** The tools that the service runs itself, in the replies of the model that is asked. */
export interface ServerTools {
  /** Whether a block of such a tool has its other half; true for any other block. */
  readonly isPaired: (block: WireBlock) => boolean;
}

const idsOf = (parts: readonly ContentPart[], type: string): readonly unknown[] =>
  parts.filter((part) => part.type === type).map((part) => part["id"]);

/** The tools of the service that called the agent's, by the ids of their own calls. */
const callersIn = (messages: readonly RichMessage[]): readonly unknown[] =>
  messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => fieldsOf(call["caller"])["tool_id"]));

/**
 * Anthropic refuses a call of such a tool without its result: one that the model was stopped in, or whose reply stayed paused.
 * The result may stand in a later reply, where the tool has called one of the agent's in between. While that is under way, its
 * call has no result yet.
 */
export function serverToolsOf(messages: readonly RichMessage[], origin: ModelOrigin): ServerTools {
  const isOwn = (message: RichMessage): boolean =>
    message.role === "assistant" && isSameOrigin(message.origin, origin);
  const partsIn = (list: readonly RichMessage[]): readonly ContentPart[] =>
    list.filter(isOwn).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const own = partsIn(messages);
  const begin = messages.findLastIndex(({ role }) => role === "user") + 1;
  const isUnderWay = messages.at(-1)?.role === "tool";
  const callers = isUnderWay ? callersIn(messages.slice(begin).filter(isOwn)) : [];
  const calls = new Set(idsOf(own, "provider-tool-call"));
  const results = new Set([...idsOf(own, "provider-tool-result"), ...callers]);
  return {
    isPaired: (block) => {
      if (isServerCall(block)) return results.has(block["id"]);
      return !isServerResult(block) || calls.has(block["tool_use_id"]);
    },
  };
}
