import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { type ForeignReasoning, isSameOrigin, otherModelText } from "@jaf/model-http";
import { blocksOf } from "../block-parts.ts";
import { isThinking, textBlocks, type WireBlock } from "../wire.ts";
import { type CallContext, callBlock } from "./calls.ts";
import type { ServerTools } from "./server-tools.ts";

export interface AssistantContext extends CallContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly serverTools: ServerTools;
}

export interface AssistantTurn {
  readonly blocks: readonly WireBlock[];
  /** By the id that the conversation has for the call. */
  readonly calls: ReadonlyMap<string, WireBlock>;
}

/** `answered`: the ids of calls that have a result. Anthropic takes no other call. */
export function assistantTurn(
  message: RichMessage,
  answered: ReadonlySet<string>,
  context: AssistantContext,
): AssistantTurn {
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
  // A turn can't end with thinking: the model stopped before it said what it had thought of.
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
