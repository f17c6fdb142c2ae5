import type { Interruption, PromptInput } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, sameJson } from "@jaf/memory/internal";
import type { TurnRequest } from "../turns/turn-service.ts";
import { isClientId, turnOfMessage, userMessageWithId } from "./chat-ids.ts";
import type { ChatRequest, ClientAnswers, SaidMessage } from "./chat-request.ts";
import type { StoredChat } from "./stored-chat.ts";

export type ChatTurn = Pick<
  TurnRequest,
  "target" | "turnId" | "input" | "edit" | "approvals" | "toolResults"
>;

type SayRequest = Extract<ChatRequest, { readonly said: unknown }>;

/**
 * The turn in which the user says something, or in which something that was said is changed or answered anew. A message whose
 * request failed before is said now, whatever the request calls it; one that is said already isn't said again.
 */
export function saidTurn(
  conversationId: string,
  { asks, said }: SayRequest,
  chat: StoredChat,
): ChatTurn & { readonly edit?: NonNullable<TurnRequest["edit"]> } {
  const turnId = asks === "say" ? turnOfMessage(conversationId, said) : undefined;
  const index = asks === "say" || said.id === undefined ? undefined : userMessageWithId(chat, said.id);
  const stored = index === undefined ? undefined : chat.messages[index];
  if (index === undefined || stored === undefined || chat.version === undefined) {
    return {
      ...{ target: { newId: conversationId }, input: inputOf(said) },
      ...present({ turnId }),
    };
  }
  const edit = { position: chat.firstPosition + index, version: chat.version };
  const input = asks === "edit" ? said : { id: stored.id, content: stored.content ?? "" };
  return { target: { conversationId }, input: inputOf(input), edit };
}

/** Whether the user has said just this message already. */
export function isSaid(chat: StoredChat, { id, content }: SaidMessage): boolean {
  const index = id === undefined ? undefined : userMessageWithId(chat, id);
  return index !== undefined && sameJson(chat.messages[index]?.content, content);
}

/** The turn that goes on with calls that waited, or with what a failed turn has left undone. */
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

/** Whether there is neither a call to answer nor anything that a failed turn has left undone. */
export function isComplete({ messages }: StoredChat): boolean {
  const last = messages.at(-1);
  return last === undefined || (last.role === "assistant" && (last.tool_calls ?? []).length === 0);
}

/** With the client's id, so that it finds the message again. */
function inputOf({ id, content }: SaidMessage): PromptInput {
  const message: RichMessage = { role: "user", content, ...(isClientId(id) ? { id } : {}) };
  // The engine checks it.
  return [message] as PromptInput;
}
