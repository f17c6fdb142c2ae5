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
  /** Of each block of the messages, the place of its message in the conversation. */
  readonly placeOf: (block: WireBlock) => number;
  /** The place of the newest message where something stands before it that the next turn won't have. */
  readonly stable: number | undefined;
  /** The place of the user message before that one; 0 if there is none. */
  readonly lastTurn: number;
}

/** What stands where Anthropic wants a user to begin or to end the conversation, and none does. */
const BEGINNING = "[The conversation begins.]";
const ENDING = "[Go on.]";

/**
 * The conversation on the wire: the instructions, then what system and developer messages there are, and the rest as
 * alternating messages of user and assistant, of which each has all messages in a row. Results stand first, each behind the
 * call that it answers.
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
        collected.add("user", [resultBlock(message, call)], index);
        break;
      }
      // All of these stand in the system prompt.
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

/** The ids of the results between this message and the next of the assistant's. */
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
