import type { Interruption, PromptInput } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, sameJson } from "@jaf/memory/internal";
import type { TurnRequest } from "../turns/turn-service.ts";
import { isClientId, turnOfMessage, userMessageWithId } from "./chat-ids.ts";
import type { ChatRequest, ClientAnswers, SaidMessage } from "./chat-request.ts";
import type { Chat, StoredChat } from "./stored-chat.ts";

export type ChatTurn = Pick<
  TurnRequest,
  "target" | "turnId" | "input" | "edit" | "approvals" | "toolResults"
>;

type SayRequest = Extract<ChatRequest, { readonly said: unknown }>;

/**
 * Returns the turn that sends, edits or regenerates a message. If the message isn't stored because an earlier request failed, the
 * turn sends it, whatever the request asks. A stored message isn't stored again.
 */
export function saidTurn(
  { conversationId, chosenId }: Chat,
  { asks, said }: SayRequest,
  chat: StoredChat,
): ChatTurn & { readonly edit?: NonNullable<TurnRequest["edit"]> } {
  const turnId = asks === "say" ? turnOfMessage(conversationId, said) : undefined;
  const index = asks === "say" || said.id === undefined ? undefined : userMessageWithId(chat, said.id);
  const stored = index === undefined ? undefined : chat.messages[index];
  if (index === undefined || stored === undefined || chat.version === undefined) {
    // Only a chat is created: the client can't choose the id of a conversation.
    const target = chosenId === undefined ? { conversationId } : { newId: conversationId, chatId: chosenId };
    return { target, input: inputOf(said), ...present({ turnId }) };
  }
  const edit = { position: chat.firstPosition + index, version: chat.version };
  const input = asks === "edit" ? said : { id: stored.id, content: stored.content ?? "" };
  return { target: { conversationId }, input: inputOf(input), edit };
}

/** Checks whether the same message is already stored. */
export function isSaid(chat: StoredChat, { id, content }: SaidMessage): boolean {
  const index = id === undefined ? undefined : userMessageWithId(chat, id);
  return index !== undefined && sameJson(chat.messages[index]?.content, content);
}

/** Returns the turn that continues waiting calls or the unfinished work of a failed turn. */
export function answeringTurn(
  conversationId: string,
  { approvals, resultsOf }: ClientAnswers,
  waiting: readonly Interruption[],
): ChatTurn {
  const toolResults = resultsOf(waiting);
  return {
    target: { conversationId },
    input: [],
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(toolResults.length === 0 ? {} : { toolResults }),
  };
}

/** Checks that no call needs an answer and no failed turn left unfinished work. */
export function isComplete({ messages }: StoredChat): boolean {
  const last = messages.at(-1);
  return last === undefined || (last.role === "assistant" && (last.tool_calls ?? []).length === 0);
}

/** Converts a message to input with the client's id, so the client can find it again. */
function inputOf({ id, content }: SaidMessage): PromptInput {
  const message: RichMessage = { role: "user", content, ...(isClientId(id) ? { id } : {}) };
  // The engine validates it.
  return [message] as PromptInput;
}
