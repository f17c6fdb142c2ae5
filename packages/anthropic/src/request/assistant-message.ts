import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, present } from "@jaf/memory/internal";
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
import {
  blocksOf,
  isServerCall,
  isServerResult,
  isThinking,
  isUnsigned,
  textBlocks,
  type WireBlock,
} from "../parts.ts";

export interface AssistantContext {
  readonly names: ToolNames;
  readonly ids: CallIds;
  /** The origin of the model that the request goes to. */
  readonly origin: ModelOrigin;
  readonly isClaude: boolean;
  readonly foreignReasoning: ForeignReasoning;
  readonly serverTools: ServerTools;
}

export interface AssistantBlocks {
  readonly blocks: readonly WireBlock[];
  /** Call blocks by the ids of the calls in the conversation. */
  readonly calls: ReadonlyMap<string, WireBlock>;
}

/** `answered`: the ids of calls with a result. Anthropic accepts no other calls. */
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

/** The blocks of this model's message, unchanged, with its calls at their original places. */
function ownBlocks(
  message: RichMessage,
  open: OpenCall,
  { serverTools, isClaude }: AssistantContext,
): WireBlock[] {
  const isTaken = (block: WireBlock): boolean =>
    serverTools.isPaired(block) && !(isClaude && isUnsigned(block));
  const calls = [...(message.tool_calls ?? [])];
  const blocks = partsOf(message).flatMap((part): readonly WireBlock[] => {
    if (part.type !== "tool-call") return blocksOf(part).filter(isTaken);
    const index = calls.findIndex(({ id }) => id === part["id"]);
    return index === -1 ? [] : calls.splice(index, 1).flatMap(open);
  });
  blocks.push(...calls.flatMap(open));
  // A message must not end with thinking, which happens if the model was stopped early.
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

function partsOf({ content, refusal }: RichMessage): readonly ContentPart[] {
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return typeof refusal === "string" ? [...parts, { type: "refusal", refusal }] : parts;
}

/** The text and calls of another model's message, without its opaque fields. */
const foreignBlocks = (message: RichMessage, open: OpenCall, { foreignReasoning }: AssistantContext) => [
  ...textBlocks(otherModelText(message, foreignReasoning)),
  ...(message.tool_calls ?? []).flatMap(open),
];

/** `isOwn`: this model made the call. Keeps its additional fields, e.g. the `caller` of a call from code. */
function callBlock(
  call: RichToolCall,
  isOwn: boolean,
  { names, ids, isClaude, serverTools }: AssistantContext,
): WireBlock {
  const {
    id: _,
    type: __,
    function: ___,
    custom: ____,
    providerMetadata: _____,
    caller,
    ...further
  } = call as Fields;
  const { tool_id: callerId } = fieldsOf(caller);
  const { name } = calledTool(call);
  const { action, ...input } = inputObject(call);
  // The agent's tool of a toolset gets the name of the called member as `action`.
  const isMember = isOwn && further["toolset_name"] === name && typeof action === "string";
  return {
    ...(isOwn ? further : {}),
    // Without the code that made it, a call is one of the model.
    ...(isOwn && (callerId === undefined || serverTools.isSent(callerId)) ? present({ caller }) : {}),
    type: "tool_use",
    // The engine adds ids to calls without one, and an application may have changed ids.
    id: ids.open(call.id, isOwn && (!isClaude || VALID_ID.test(call.id))),
    name: isMember ? action : names.toWire(name),
    input: isMember ? input : inputObject(call),
  };
}

const VALID_ID = /^[a-zA-Z0-9_-]+$/;

/** The calls and results of the service's own tools in this model's replies. */
export interface ServerTools {
  /** Whether a call has its result, or a result its call, and also the code that called it; true for any other block. */
  readonly isPaired: (block: WireBlock) => boolean;
  /** Whether the request contains the call with this id. */
  readonly isSent: (id: unknown) => boolean;
}

const CALL = "provider-tool-call";

const idsOf = (parts: readonly ContentPart[], type: string): readonly unknown[] =>
  parts.filter((part) => part.type === type).map((part) => part["id"]);

/** The ids of calls of the service's tools that called the agent's tools. */
const callersIn = (messages: readonly RichMessage[]): readonly unknown[] =>
  messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => fieldsOf(call["caller"])["tool_id"]));

/**
 * Finds complete pairs. Anthropic refuses a call of its own tools without a result, e.g. from a stopped or paused reply. The
 * result may come in a later reply, if the model or the tool called one of the agent's tools; until then, the call is kept
 * without one.
 */
export function serverToolsOf(messages: readonly RichMessage[], origin: ModelOrigin): ServerTools {
  const isOwn = (message: RichMessage): boolean =>
    message.role === "assistant" && isSameOrigin(message.origin, origin);
  const partsIn = (list: readonly RichMessage[]): readonly ContentPart[] =>
    list.filter(isOwn).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const own = partsIn(messages);
  const begin = messages.findLastIndex(({ role }) => role === "user") + 1;
  const underWay = messages.at(-1)?.role === "tool" ? messages.slice(begin) : [];
  const last = underWay.filter(isOwn).at(-1);
  const isAnswered = last?.tool_calls?.some(({ id }) =>
    underWay.some((answer) => answer.tool_call_id === id),
  );
  // The service runs these when it has the results of the calls beside them.
  const waiting = last !== undefined && isAnswered === true ? idsOf(partsIn([last]), CALL) : [];
  const callers = callersIn(underWay.filter(isOwn));
  const calls = new Set(idsOf(own, CALL));
  const results = new Set([...idsOf(own, "provider-tool-result"), ...callers, ...waiting]);
  const isSent = (id: unknown): boolean => calls.has(id) && results.has(id);
  return {
    isPaired: (block) => {
      const { tool_id: callerId } = fieldsOf(block["caller"]);
      if (callerId !== undefined && !isSent(callerId)) return false;
      if (isServerCall(block)) return results.has(block["id"]);
      return !isServerResult(block) || calls.has(block["tool_use_id"]);
    },
    isSent,
  };
}
