import type { Interruption, PromptInput } from "@jaf/core";
import type { MemoryErrorUnion, RichMessage } from "@jaf/memory";
import { type Context, Hono } from "hono";
import {
  conversationOfChat,
  isClientId,
  messageIdAt,
  messageIds,
  userMessageWithId,
} from "../ai-sdk/chat-ids.ts";
import { type ChatRequest, parseChatRequest, type SaidMessage } from "../ai-sdk/chat-request.ts";
import {
  type ChatStores,
  latestTurn,
  readChat,
  type StoredChat,
  waitingCalls,
} from "../ai-sdk/chat-store.ts";
import { replyPlace } from "../ai-sdk/reply-place.ts";
import { withFirst } from "../ai-sdk/with-first.ts";
import { shownMessages } from "../encoders/ui-message/shown-parts.ts";
import { uiMessageStream } from "../encoders/ui-message-stream.ts";
import type { Identity } from "../identity.ts";
import type { TurnRefusal, TurnRequest, TurnService } from "../turns/turn-service.ts";

export interface AiSdkRoutesOptions extends ChatStores {
  readonly turns: TurnService;
  /** Who sends the request; it was authenticated before. */
  readonly identityOf: (context: Context) => Identity;
  /** Answers with why there is nothing else to answer. */
  readonly refuse: (context: Context, problem: ChatProblem) => Response;
  /** Of a request that names none. */
  readonly defaultAgent: string;
  /** Whether the model's thoughts are given out. Default `true`. */
  readonly reasoning?: boolean;
}

export type ChatProblem =
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "store"; readonly error: MemoryErrorUnion }
  | { readonly kind: "refused"; readonly refusal: TurnRefusal };

type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: ChatProblem };

/** What `useChat` of the AI SDK asks, for its `DefaultChatTransport({ api })`. Paths are those behind `api`. */
export function aiSdkRoutes(options: AiSdkRoutesOptions): Hono {
  const { turns, identityOf, refuse } = options;
  const routes = new Hono();
  const chatOf = (context: Context) => {
    const { userId } = identityOf(context);
    return { userId, conversationId: conversationOfChat(userId, context.req.param("chatId") ?? "") };
  };

  routes.post("/", async (context) => {
    const parsed = parseChatRequest(await context.req.json().catch(() => undefined));
    if (!parsed.ok) return refuse(context, { kind: "invalid", message: parsed.message });
    const begun = await beginTurn(options, identityOf(context), parsed.request);
    if (!begun.ok) return refuse(context, begun.problem);
    const { conversationId, turnId, chat, heldParts } = begun.value;
    return streamTurn(options, { conversationId, turnId, chat, ...heldParts });
  });

  routes.get("/:chatId/stream", async (context) => {
    const { userId, conversationId } = chatOf(context);
    const turn = await latestTurn(options, conversationId, userId);
    if (!turn.success) return refuse(context, { kind: "store", error: turn.error });
    if (turn.data?.state !== "running") return context.body(null, 204);
    const chat = await readChat(options, conversationId, { userId, part: "tail" });
    if (!chat.success) return refuse(context, { kind: "store", error: chat.error });
    const { turnId, events: known } = turn.data;
    return streamTurn(options, { conversationId, turnId, chat: chat.data, known });
  });

  routes.post("/:chatId/stop", async (context) => {
    const { userId, conversationId } = chatOf(context);
    const turn = await latestTurn(options, conversationId, userId);
    if (!turn.success) return refuse(context, { kind: "store", error: turn.error });
    const stopping =
      turn.data?.state === "running" && (await turns.stop({ conversationId, turnId: turn.data.turnId }));
    return context.json({ success: true, data: { stopping } });
  });

  routes.get("/:chatId/messages", async (context) => {
    const { userId, conversationId } = chatOf(context);
    const [chat, turn] = await Promise.all([
      readChat(options, conversationId, { userId, part: "all" }),
      latestTurn(options, conversationId, userId),
    ]);
    if (!chat.success) return refuse(context, { kind: "store", error: chat.error });
    if (!turn.success) return refuse(context, { kind: "store", error: turn.error });
    const waiting = await waitingCalls(options, turn.data);
    if (!waiting.success) return refuse(context, { kind: "store", error: waiting.error });
    return context.json({ success: true, data: { messages: shownChat(chat.data, waiting.data, options) } });
  });

  return routes;
}

const shownChat = (
  { messages, firstPosition }: StoredChat,
  interruptions: readonly Interruption[],
  { reasoning = true }: AiSdkRoutesOptions,
) => shownMessages(messages, { reasoning, interruptions, id: messageIds(firstPosition) });

interface BegunTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly chat: StoredChat;
  readonly heldParts: { readonly heldParts?: number };
}

async function beginTurn(
  options: AiSdkRoutesOptions,
  identity: Identity,
  request: ChatRequest,
): Promise<Answer<BegunTurn>> {
  const { userId } = identity;
  const conversationId = conversationOfChat(userId, request.chatId);
  const part = request.asks === "say" || request.asks === "go-on" ? "tail" : "all";
  const chat = await readChat(options, conversationId, { userId, part });
  if (!chat.success) return { ok: false, problem: { kind: "store", error: chat.error } };
  const asked = await turnRequest(options, { request, conversationId, userId, chat: chat.data });
  if (!asked.ok) return asked;
  const agentName = request.agentName ?? options.defaultAgent;
  const started = await options.turns.start({ identity, agentName, ...asked.value });
  if (!started.started) return { ok: false, problem: { kind: "refused", refusal: started.refusal } };
  const { turnId } = started;
  const heldParts = request.asks === "go-on" ? { heldParts: request.answers.heldParts } : { heldParts: 0 };
  return { ok: true, value: { conversationId, turnId, chat: chat.data, heldParts } };
}

type AskedTurn = Pick<TurnRequest, "target" | "input" | "edit" | "approvals" | "toolResults">;

interface AskedChat {
  readonly request: ChatRequest;
  readonly conversationId: string;
  readonly userId: string;
  readonly chat: StoredChat;
}

async function turnRequest(
  options: AiSdkRoutesOptions,
  { request, conversationId, userId, chat }: AskedChat,
): Promise<Answer<AskedTurn>> {
  const added: AskedTurn["target"] = { newId: conversationId };
  if (request.asks === "go-on") {
    if (isComplete(chat)) return { ok: false, problem: { kind: "refused", refusal: nothingWaits } };
    const turn = await latestTurn(options, conversationId, userId);
    if (!turn.success) return { ok: false, problem: { kind: "store", error: turn.error } };
    const waiting = await waitingCalls(options, turn.data);
    if (!waiting.success) return { ok: false, problem: { kind: "store", error: waiting.error } };
    const { approvals, resultsOf } = request.answers;
    const toolResults = resultsOf(waiting.data);
    return {
      ok: true,
      value: {
        target: { conversationId },
        input: [],
        ...(approvals.length === 0 ? {} : { approvals }),
        ...(toolResults.length === 0 ? {} : { toolResults }),
      },
    };
  }
  const { said, asks } = request;
  const index = asks === "say" || said.id === undefined ? undefined : placeOf(chat, said.id);
  const stored = index === undefined ? undefined : chat.messages[index];
  // What never got here, since the request failed, is said now.
  if (index === undefined || stored === undefined || chat.version === undefined) {
    return { ok: true, value: { target: added, input: inputOf(said) } };
  }
  const edit = { position: chat.firstPosition + index, version: chat.version };
  const content = stored.content ?? "";
  const input = asks === "edit" ? said : { id: stored.id, content };
  return { ok: true, value: { target: { conversationId }, input: inputOf(input), edit } };
}

/** There is no call to answer, nor anything that a failed turn has left undone. */
const isComplete = ({ messages }: StoredChat): boolean => {
  const last = messages.at(-1);
  return last === undefined || (last.role === "assistant" && (last.tool_calls ?? []).length === 0);
};

const nothingWaits: TurnRefusal = {
  reason: "changed",
  message: "Nothing waits for an answer. Load the conversation again.",
  retryable: false,
};

const placeOf = ({ messages, firstPosition }: StoredChat, id: string): number | undefined =>
  userMessageWithId(messages, firstPosition, id);

/** With the client's id, so that it finds the message again. */
function inputOf({ id, content }: SaidMessage): PromptInput {
  const message: RichMessage = { role: "user", content, ...(isClientId(id) ? { id } : {}) };
  return [message] as PromptInput;
}

interface StreamedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly chat: StoredChat;
  readonly known?: number;
  readonly heldParts?: number;
}

async function streamTurn(
  { turns, reasoning = true }: AiSdkRoutesOptions,
  { conversationId, turnId, chat, known = 0, ...held }: StreamedTurn,
): Promise<Response> {
  const left = new AbortController();
  const events = turns.follow({ conversationId, turnId, from: 0, signal: left.signal });
  const { first, all } = await withFirst(events);
  const start = first?.[0]?.event;
  const position = start?.type === "turn_start" ? start.position : undefined;
  const place = replyPlace(chat, position ?? chat.firstPosition + chat.messages.length);
  return uiMessageStream(all, {
    ...{ messageId: messageIdAt(place.position), before: place.before, known, reasoning, ...held },
    onLeave: () => left.abort(),
  });
}
