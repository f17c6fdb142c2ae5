import type { Interruption } from "@jaf/core";
import * as z from "zod";
import { messageIdAt, messageIds } from "../ai-sdk/chat-ids.ts";
import {
  type ChatRequest,
  chatBody,
  chatRequestOf,
  uiMessageParts,
  uiMessageRole,
} from "../ai-sdk/chat-request.ts";
import { answeringTurn, type ChatTurn, isComplete, isSaid, saidTurn } from "../ai-sdk/chat-turn.ts";
import {
  type Chat,
  latestTurnOf,
  loadedMessages,
  openChat,
  readChat,
  replyPlace,
  type StoredChat,
  turnWithId,
  waitingCalls,
} from "../ai-sdk/stored-chat.ts";
import { encodeUIMessageStream } from "../ai-sdk/ui-message-stream.ts";
import { streamedMessages } from "../ai-sdk/ui-messages.ts";
import { checkFiles } from "../http/client-content.ts";
import type { Encoder } from "../http/encoder.ts";
import { HttpFailure } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { agentOf, titleOf, turnFailures } from "./chat.ts";
import { answerEvents, answerTurn } from "./turn-response.ts";
import { stopping } from "./turns.ts";

const aiSdkChat = operation("post", "/ai-sdk/chat", {
  summary: "Send a message from the AI SDK's useChat and stream the reply as a UI message stream",
  body: chatBody,
  streams: "always",
  failures: turnFailures,
});

const aiSdkStream = operation("get", "/ai-sdk/chat/{chatId}/stream", {
  summary: "Resume the running turn as a UI message stream",
  streams: "always",
  nothing: "The chat has no running turn.",
});

const aiSdkStop = operation("post", "/ai-sdk/chat/{chatId}/stop", {
  summary: "Stop the running turn",
  answer: stopping,
});

const aiSdkMessages = operation("get", "/ai-sdk/chat/{chatId}/messages", {
  summary: "Get the chat as UI messages of the AI SDK",
  answer: z.object({
    conversationId: z
      .string()
      .describe("The id of the chat for the other routes, also before the chat's first message."),
    messages: z.array(z.looseObject({ id: z.string(), role: uiMessageRole, parts: uiMessageParts })),
  }),
});

/** Adds the routes for `useChat` of the AI SDK: send a message, and resume, stop or load a chat. */
export function aiSdkRoutes(route: Route, parts: ServerParts): void {
  route(aiSdkChat, async ({ context, userId, body }) => {
    const request = chatRequestOf(body);
    const { chatId } = request;
    const agentName = agentOf(parts, request.agentName);
    const part = request.asks === "say" || request.asks === "go-on" ? "tail" : "all";
    const { chat, stored } = await openChat(parts, { userId, chatId }, part);
    const waiting = request.asks === "go-on" ? await waitingCalls(parts, chat) : [];
    const { files, ...turn } = turnOf(parts, chat, { request, stored, waiting });
    await checkFiles(parts.settings, context.get("identity"), files);
    const heldParts = request.asks === "go-on" ? request.answers.heldParts : 0;
    const known = await knownOf(parts, chat, { request, stored, turn });
    const encode = encoderOf(stored, { heldParts, waiting, known });
    return answerTurn(parts, context, { agentName, ...turn }, encode);
  });

  route(aiSdkStream, async ({ context, userId, chatId }) => {
    const turn = await latestTurnOf(parts, { userId, chatId });
    if (turn?.state !== "running") return context.body(null, 204);
    const { conversationId, turnId, events: known } = turn;
    const stored = await readChat(parts, { conversationId, userId }, "tail");
    return answerEvents(parts, context, { conversationId, turnId, from: 0 }, encoderOf(stored, { known }));
  });

  route(aiSdkStop, async ({ userId, chatId }) => {
    const turn = await latestTurnOf(parts, { userId, chatId });
    return { stopping: turn?.state === "running" && (await parts.service.stop(turn)) };
  });

  route(aiSdkMessages, async ({ userId, chatId }) => {
    const { chat, stored } = await openChat(parts, { userId, chatId }, "all");
    const interruptions = await waitingCalls(parts, chat);
    const messages = await loadedMessages(parts, chat, stored);
    const id = messageIds(stored.firstPosition);
    return {
      conversationId: chat.conversationId,
      messages: streamedMessages(messages, { interruptions, id }),
    };
  });
}

interface Asked {
  readonly request: ChatRequest;
  readonly stored: StoredChat;
}

function turnOf(
  parts: ServerParts,
  chat: Chat,
  { request, stored, waiting }: Asked & { readonly waiting: readonly Interruption[] },
): ChatTurn {
  const { conversationId } = chat;
  if (request.asks === "go-on") {
    if (isComplete(stored)) {
      throw new HttpFailure("changed", "No call waits for an answer. Load the conversation again.");
    }
    return answeringTurn(conversationId, request.answers, waiting);
  }
  const turn = saidTurn(chat, request, stored);
  const title = titleOf(parts, [{ content: request.said.content as string }]);
  return "newId" in turn.target && title !== undefined
    ? { ...turn, target: { ...turn.target, title } }
    : turn;
}

/**
 * If the request repeats a message that has already begun a turn, returns how many events this turn has so far. Returns 0
 * for any other request.
 */
async function knownOf(
  parts: ServerParts,
  chat: Chat,
  { request, stored, turn: { turnId } }: Asked & { readonly turn: Pick<ChatTurn, "turnId"> },
): Promise<number> {
  if (request.asks !== "say" || turnId === undefined || !isSaid(stored, request.said)) return 0;
  const turn = await turnWithId(parts, chat, turnId);
  if (turn !== undefined) return turn.events;
  // The message is stored, but its turn has expired.
  throw new HttpFailure("changed", "The message was sent before. Load the conversation again.");
}

interface EncoderOptions {
  /** Number of parts that the client already has of the turn's UI message. Absent: the client has none. */
  readonly heldParts?: number;
  /** The calls that waited before the turn. */
  readonly waiting?: readonly Interruption[];
  readonly known?: number;
}

function encoderOf(stored: StoredChat, { known = 0, ...held }: EncoderOptions): Encoder {
  return encodeUIMessageStream({
    known,
    messageOf: (start) => {
      const next = stored.firstPosition + stored.messages.length;
      const from = start?.type === "turn_start" ? start.position : undefined;
      const { position, before } = replyPlace(stored, from ?? next);
      return { messageId: messageIdAt(position), before, ...held };
    },
  });
}
