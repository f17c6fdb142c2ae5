import type { Interruption, PromptInput } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, sameJson } from "@jaf/memory/internal";
import { type NamedFile, refusedFile } from "../http/client-content.ts";
import type { TurnRequest } from "../turns/turn-service.ts";
import { isClientId, turnOfMessage, userMessageWithId } from "./chat-ids.ts";
import type { ChatRequest, ClientAnswers, SaidMessage } from "./chat-request.ts";
import type { StoredChat } from "./stored-chat.ts";

export interface ChatTurn
  extends Pick<TurnRequest, "target" | "turnId" | "input" | "edit" | "approvals" | "toolResults"> {
  /** The files that the client's new content names. */
  readonly files: readonly NamedFile[];
}

type SayRequest = Extract<ChatRequest, { readonly said: unknown }>;

/**
 * Returns the turn that sends, edits or regenerates a message. If the message isn't stored because an earlier request failed, the
 * turn sends it, whatever the request asks. A stored message isn't stored again. Throws a failure for a file that isn't on the web.
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
      ...{ target: { newId: conversationId }, input: inputOf(said), files: webFiles(said) },
      ...present({ turnId }),
    };
  }
  const edit = { position: chat.firstPosition + index, version: chat.version };
  if (asks === "edit")
    return { target: { conversationId }, input: inputOf(said), edit, files: webFiles(said) };
  const input = inputOf({ id: stored.id, content: stored.content ?? "" });
  return { target: { conversationId }, input, edit, files: [] };
}

/** Returns the files that the message names. Throws a failure if its content lacks one of them. */
function webFiles({ files }: SaidMessage): readonly NamedFile[] {
  const lost = files.find(
    ({ file }) => file.kind !== "url" || !/^https?:/.test(file.url) || file.mediaType === "",
  );
  if (lost === undefined) return files;
  throw refusedFile(lost.path, "expected a URL with data:, http: or https:, and a mediaType");
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
  const results = resultsOf(waiting);
  const toolResults = results.map(({ files: _, ...result }) => result);
  return {
    target: { conversationId },
    input: [],
    files: results.flatMap(({ files }) => files),
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
function inputOf({ id, content }: Omit<SaidMessage, "files">): PromptInput {
  const message: RichMessage = { role: "user", content, ...(isClientId(id) ? { id } : {}) };
  // The engine validates it.
  return [message] as PromptInput;
}
