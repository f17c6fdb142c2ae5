import type { RichMessage } from "@jaf/memory";
import { messageText, stableLength } from "@jaf/memory/internal";
import { isInstruction } from "@jaf/model-http";
import { textBlocks, type WireBlock, type WireMessage } from "../parts.ts";
import { type AssistantBlocks, type AssistantContext, assistantBlocks } from "./assistant-message.ts";
import { contentBlocks } from "./media.ts";
import { resultBlock } from "./tools.ts";

export interface WirePrompt {
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
  /** The position in the conversation of a block's message. */
  readonly placeOf: (block: WireBlock) => number;
  /** The position of the newest message, if this turn inserts something before it that the next turn won't repeat. */
  readonly stable: number | undefined;
  /** The position of the user message before `stable`; 0 if there is none. */
  readonly lastTurn: number;
}

/** Fillers, because Anthropic requires a user message at the beginning and the end. */
const BEGINNING = "[The conversation begins.]";
const ENDING = "[Go on.]";

/**
 * The prompt of a request. All instructions, system and developer messages become the system prompt. The rest becomes
 * alternating user and assistant messages; consecutive messages are merged. Tool results come first, directly after their
 * calls.
 */
export function wirePrompt(
  instructions: readonly string[],
  messages: readonly RichMessage[],
  context: AssistantContext,
): WirePrompt {
  const collected = collectMessages();
  let calls: AssistantBlocks["calls"] = new Map();
  const answered = new Set<string>();
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "user": {
        const { content } = message;
        collected.add(
          "user",
          typeof content === "string" ? textBlocks(content) : contentBlocks(content ?? []),
          index,
        );
        break;
      }
      case "assistant": {
        const reply = assistantBlocks(message, resultsBehind(messages, index), context);
        ({ calls } = reply);
        answered.clear();
        collected.add("assistant", reply.blocks, index);
        break;
      }
      case "tool": {
        const id = message.tool_call_id ?? "";
        const call = calls.get(id);
        if (call === undefined || answered.has(id)) break;
        answered.add(id);
        collected.add("user", [resultBlock(message, call, context.names)], index);
        break;
      }
      // The system prompt holds all of these.
      case "system":
      case "developer":
        break;
    }
  }
  const system = [...instructions, ...messages.filter(isInstruction).map(messageText)].flatMap(textBlocks);
  const stable = stableLength(messages);
  return {
    system,
    messages: collected.whole(),
    placeOf: collected.placeOf,
    stable: stable === messages.length ? undefined : stable,
    lastTurn: Math.max(
      0,
      messages.slice(0, stable).findLastIndex(({ role }) => role === "user"),
    ),
  };
}

/** The ids of the results between this message and the next assistant message. */
function resultsBehind(messages: readonly RichMessage[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { role, tool_call_id } of messages.slice(index + 1)) {
    if (role === "assistant") break;
    if (role === "tool" && tool_call_id !== undefined) ids.add(tool_call_id);
  }
  return ids;
}

function collectMessages() {
  const messages: { readonly role: WireMessage["role"]; content: readonly WireBlock[] }[] = [];
  const places = new Map<WireBlock, number>();
  const add = (role: WireMessage["role"], blocks: readonly WireBlock[], place: number): void => {
    if (blocks.length === 0) return;
    for (const block of blocks) places.set(block, place);
    const last = messages.at(-1);
    if (last?.role === role) last.content = resultsFirst([...last.content, ...blocks]);
    else messages.push({ role, content: blocks });
  };
  return {
    add,
    placeOf: (block: WireBlock): number => places.get(block) ?? Number.POSITIVE_INFINITY,
    whole: (): readonly WireMessage[] => {
      if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: textBlocks(BEGINNING) });
      if (messages.at(-1)?.role !== "user") messages.push({ role: "user", content: textBlocks(ENDING) });
      return messages;
    },
  };
}

function resultsFirst(blocks: readonly WireBlock[]): readonly WireBlock[] {
  const isResult = ({ type }: WireBlock): boolean => type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
