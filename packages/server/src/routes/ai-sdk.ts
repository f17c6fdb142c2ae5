import type { Context, Hono } from "hono";
import { type AskedTurn, answeringTurn, isComplete, isSaid, saidTurn } from "../ai-sdk/asked-turn.ts";
import { conversationOfChat, messageIdAt, messageIds } from "../ai-sdk/chat-ids.ts";
import { type ChatRequest, parseChatRequest } from "../ai-sdk/chat-request.ts";
import {
  type Chat,
  latestTurn,
  readChat,
  type StoredChat,
  turnWithId,
  waitingCalls,
} from "../ai-sdk/chat-store.ts";
import { replyPlace } from "../ai-sdk/reply-place.ts";
import type { Encoder } from "../encoders/encoder.ts";
import { shownMessages } from "../encoders/ui-message/shown-parts.ts";
import { encodeUIMessageStream } from "../encoders/ui-message-stream.ts";
import { answer } from "../http/answer.ts";
import type { ServerEnvironment } from "../http/environment.ts";
import { HttpFailure } from "../http/failure.ts";
import { readJson } from "../http/request-body.ts";
import type { ServerParts } from "../server-parts.ts";
import { agentOf, titleOf } from "./chat.ts";
import { answerEvents, answerTurn } from "./turn-answer.ts";

/** What `useChat` of the AI SDK asks, by `DefaultChatTransport({ api: "/ai-sdk/chat" })`, and what it needs beside that. */
export function aiSdkRoutes(app: Hono<ServerEnvironment>, parts: ServerParts): void {
  const { service, settings } = parts;
  const chatOf = (context: Context<ServerEnvironment>, chatId = context.req.param("chatId") ?? ""): Chat => {
    const { userId } = context.get("identity");
    return { userId, conversationId: conversationOfChat(userId, chatId) };
  };

  app.post("/ai-sdk/chat", async (context) => {
    const parsed = parseChatRequest(await readJson(context, settings.limits));
    if (!parsed.ok) throw new HttpFailure("invalid-request", parsed.message);
    const { request } = parsed;
    const chat = chatOf(context, request.chatId);
    const agentName = agentOf(parts, request.agentName);
    const part = request.asks === "say" || request.asks === "go-on" ? "tail" : "all";
    const stored = await readChat(parts, chat, part);
    const turn = await turnOf(parts, chat, { request, stored });
    const heldParts = request.asks === "go-on" ? request.answers.heldParts : 0;
    const known = await knownOf(parts, chat, { request, stored, turn });
    return answerTurn(parts, context, { agentName, ...turn }, encoderOf(stored, { heldParts, known }));
  });

  app.get("/ai-sdk/chat/:chatId/stream", async (context) => {
    const chat = chatOf(context);
    const turn = await latestTurn(parts, chat);
    if (turn?.state !== "running") return context.body(null, 204);
    const { conversationId, turnId, events: known } = turn;
    const stored = await readChat(parts, chat, "tail");
    return answerEvents(parts, context, { conversationId, turnId, from: 0 }, encoderOf(stored, { known }));
  });

  app.post("/ai-sdk/chat/:chatId/stop", async (context) => {
    const turn = await latestTurn(parts, chatOf(context));
    return answer(context, { stopping: turn?.state === "running" && (await service.stop(turn)) });
  });

  app.get("/ai-sdk/chat/:chatId/messages", async (context) => {
    const chat = chatOf(context);
    const [stored, interruptions] = await Promise.all([
      readChat(parts, chat, "all"),
      waitingCalls(parts, chat),
    ]);
    const id = messageIds(stored.firstPosition);
    return answer(context, { messages: shownMessages(stored.messages, { interruptions, id }) });
  });
}

interface Asked {
  readonly request: ChatRequest;
  readonly stored: StoredChat;
}

async function turnOf(parts: ServerParts, chat: Chat, { request, stored }: Asked): Promise<AskedTurn> {
  const { conversationId } = chat;
  if (request.asks === "go-on") {
    if (isComplete(stored)) {
      throw new HttpFailure("changed", "Nothing waits for an answer. Read the conversation again.");
    }
    return answeringTurn(conversationId, request.answers, await waitingCalls(parts, chat));
  }
  const turn = saidTurn(conversationId, request, stored);
  const title = titleOf(parts, [{ content: request.said.content as string }]);
  return "newId" in turn.target && title !== undefined
    ? { ...turn, target: { ...turn.target, title } }
    : turn;
}

/** How many events the turn has already: of a message that is sent once more. Throws where its turn can't be told any more. */
async function knownOf(
  parts: ServerParts,
  chat: Chat,
  { request, stored, turn: { turnId } }: Asked & { readonly turn: AskedTurn },
): Promise<number> {
  if (request.asks !== "say" || turnId === undefined || !isSaid(stored, request.said)) return 0;
  const turn = await turnWithId(parts, chat, turnId);
  if (turn !== undefined) return turn.events;
  throw new HttpFailure("changed", "This was said already. Read the conversation again.");
}

interface EncoderOptions {
  /** How many parts the client has of the message that the turn writes. Absent: it asks for all of it. */
  readonly heldParts?: number;
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
