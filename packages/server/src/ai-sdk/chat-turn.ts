import type { Interruption, PromptInput } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, sameJson } from "@jaf/memory/internal";
import { type ClientFile, type NamedFile, refusedFile } from "../http/client-content.ts";
import type { TurnRequest } from "../turns/turn-service.ts";
import { isClientId, turnOfMessage, userMessageWithId } from "./chat-ids.ts";
import type { ChatRequest, ClientAnswers, SaidMessage } from "./chat-request.ts";
import type { Chat, StoredChat } from "./stored-chat.ts";

export interface ChatTurn
  extends Pick<TurnRequest, "target" | "turnId" | "input" | "edit" | "approvals" | "toolResults"> {
  /** The files that are named in the client's message or tool results. Check them with `checkFiles`. */
  readonly files: readonly NamedFile[];
}

type SayRequest = Extract<ChatRequest, { readonly said: unknown }>;

/**
 * Returns the turn for a request to send, edit or regenerate a message. If the message to edit or regenerate isn't
 * stored, the turn sends it as a new message.
 */
export function saidTurn(
  { conversationId, chosenId }: Chat,
  { asks, said }: SayRequest,
  chat: StoredChat,
): ChatTurn & { readonly edit?: NonNullable<TurnRequest["edit"]> } {
  const turnId = asks === "say" ? turnOfMessage(conversationId, said) : undefined;
  const index = asks === "say" || said.id === undefined ? undefined : userMessageWithId(chat, said.id);
  const stored = index === undefined ? undefined : chat.messages[index];
  // An earlier request may have failed before the message was stored.
  if (index === undefined || stored === undefined || chat.version === undefined) {
    // Only a chat is created: a client can't choose the conversation id of a new conversation.
    const target = chosenId === undefined ? { conversationId } : { newId: conversationId, chatId: chosenId };
    return { target, input: inputOf(said), files: webFiles(said), ...present({ turnId }) };
  }
  const edit = { position: chat.firstPosition + index, version: chat.version };
  if (asks === "edit")
    return { target: { conversationId }, input: inputOf(said), edit, files: webFiles(said) };
  const { id, content, from }: RichMessage = stored;
  const input = inputOf({ id, content: content ?? "", from });
  return { target: { conversationId }, input, edit, files: [] };
}

/**
 * Returns the files that the message names. Throws an `HttpFailure` for a file without a media type, or with a URL
 * other than `http:` or `https:`.
 */
function webFiles({ files }: SaidMessage): readonly NamedFile[] {
  const lost = files.find(({ file }) => !isWebFile(file) || file.mediaType === "");
  if (lost === undefined) return files;
  throw refusedFile(lost.path, "expected a URL with data:, http: or https:, and a mediaType");
}

const isWebFile = (file: ClientFile): boolean =>
  file.kind === "url" && /^https?:/.test(file.url) && URL.canParse(file.url);

/** Checks whether the conversation already has a user's message with this id and content. */
export function isSaid(chat: StoredChat, { id, content }: SaidMessage): boolean {
  const index = id === undefined ? undefined : userMessageWithId(chat, id);
  return index !== undefined && sameJson(chat.messages[index]?.content, content);
}

/**
 * Returns a turn that continues the conversation with the client's answers to its pending calls (`waiting`). If no call
 * is pending, the new turn continues an earlier turn that failed before its final reply.
 */
export function answeringTurn(
  conversationId: string,
  { approvals: given, resultsOf }: ClientAnswers,
  waiting: readonly Interruption[],
): ChatTurn {
  // The client also keeps the decisions of earlier requests about calls that the model provider runs.
  const open = given.filter((decision) => waiting.some(({ toolCallId: id }) => id === decision.toolCallId));
  const approvals = open.length === 0 ? given : open;
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

/** Checks whether the conversation is empty or ends with a reply without tool calls. */
export function isComplete({ messages }: StoredChat): boolean {
  const last = messages.at(-1);
  return last === undefined || (last.role === "assistant" && (last.tool_calls ?? []).length === 0);
}

/**
 * Converts a user's message into the input of a turn. The input keeps the message's id if the client chose it. `from`: the
 * field of a stored message, e.g. `"timer"`.
 */
function inputOf({
  id,
  content,
  from,
}: Omit<SaidMessage, "files"> & { readonly from?: unknown }): PromptInput {
  const message: RichMessage = {
    ...{ role: "user", content },
    ...(isClientId(id) ? { id } : {}),
    // Without it, a timer's text would count as the user's words.
    ...present({ from }),
  };
  // The engine validates it.
  return [message] as PromptInput;
}
