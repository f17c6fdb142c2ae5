import type { AiSdkUIMessage } from "@jaf/ai-sdk";
import type { ContentPart, Message } from "@jaf/memory";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { type FollowedEvent, type FollowOptions, followTurn, startTurn } from "./follow.ts";
import type { CallOptions, Http } from "./http.ts";

/** `"waiting"`: the turn has ended, and calls of it wait for the user. */
export type TurnState = "running" | "waiting" | "ended";

/** A conversation in a list. */
export interface ConversationSummary {
  readonly conversationId: string;
  /** The id for `useChat` of the AI SDK: the one that the page chose, or `conversationId` if `useChat` didn't begin it. */
  readonly chatId: string;
  readonly title: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastActivity: string;
  /** Number of messages. */
  readonly messages: number;
  /** Changes with each change of the messages. `edit`, `regenerate` and `copy` take it. */
  readonly version: number;
  /** The latest turn, if it is running or waiting. */
  readonly turn?: { readonly turnId: string; readonly state: TurnState };
}

/** A page of conversations. */
export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  /** The `cursor` of the next page. Absent on the last page. */
  readonly nextCursor?: string;
}

/** A message with its position. */
export interface PositionedMessage {
  /** Counted from the conversation's first message. */
  readonly position: number;
  readonly message: Message;
}

/** A conversation with some of its messages. */
export interface Conversation {
  readonly conversationId: string;
  /** The id for `useChat` of the AI SDK; see {@link ConversationSummary}. */
  readonly chatId: string;
  readonly title: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastActivity: string;
  /** Changes with each change of the messages. `edit`, `regenerate` and `copy` take it. */
  readonly version: number;
  /** The requested messages, oldest first. */
  readonly messages: readonly PositionedMessage[];
  /** Whether there are messages before the first of these. */
  readonly earlier: boolean;
  /** The latest turn, in any state. */
  readonly turn?: {
    readonly turnId: string;
    readonly state: TurnState;
    /** Number of events so far. */
    readonly events: number;
  };
}

/** A chat of `useChat` of the AI SDK. */
export interface LoadedChat {
  /** The id for other methods. A new chat has it before its first message. */
  readonly conversationId: string;
  /** `[]` for a new chat. */
  readonly messages: AiSdkUIMessage[];
}

/** The events of a turn so far. */
export interface TurnEvents {
  readonly turnId: string;
  readonly state: TurnState;
  readonly events: readonly NumberedEvent[];
}

/** A turn of a conversation, with its record. */
export interface TurnSummary {
  readonly turnId: string;
  readonly state: TurnState;
  /** ISO 8601. */
  readonly startedAt: string;
  /** A `TurnRecord` of `@jaf/server`: what the model saw, usage and cost. Absent while the turn runs. */
  readonly record?: unknown;
}

/** A new message in place of an earlier one. */
export interface EditRequest {
  /** Position of the user's message to replace. All later messages are dropped. */
  readonly position: number;
  /** The conversation's version that the client saw. If it has changed, the request fails with status 409. */
  readonly version: number;
  /** The new message. */
  readonly message: string | readonly ContentPart[];
  /** The agent's name. Default: the server's default agent. */
  readonly agentName?: string;
}

/** A message to answer again. */
export interface RegenerateRequest {
  /** Position of the user's message to answer again. Default: the last. All later messages are dropped. */
  readonly position?: number;
  /** The conversation's version that the client saw. If it has changed, the request fails with status 409. */
  readonly version: number;
  /** The agent's name. Default: the server's default agent. */
  readonly agentName?: string;
}

/** How much of a conversation to copy. */
export interface CopyRequest {
  /** Copies only the messages before this position, which must be a user's message. Default: all. */
  readonly upTo?: number;
  /** The conversation's version that the client saw. If it has changed, the request fails with status 409. */
  readonly version: number;
  /** The title of the copy. Default: the title of the conversation. */
  readonly title?: string;
}

/** Lists, reads and changes the user's conversations and their turns. */
export interface ConversationMethods {
  /**
   * Returns a page of conversations, latest first. `limit`: 1 to 100, default 30. `search`: only those whose title has this text, 1 to
   * 200 characters, in upper or lower case. One page searches 1,000 conversations, so a page before the last may have fewer than
   * `limit`, or none.
   */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string; readonly search?: string },
    options?: CallOptions,
  ) => Promise<ConversationPage>;
  /** Returns a conversation with its last messages, or the last before position `before`. `limit`: 1 to 1,000, default 100. */
  readonly get: (
    conversationId: string,
    query?: { readonly before?: number; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<Conversation>;
  /**
   * Returns the messages for `useChat` of the AI SDK: of the chat that began under this id, otherwise of the conversation with this id,
   * otherwise none. `conversationId` is the id for the other methods, e.g. `rename` and `delete`.
   *
   * @example
   * ```ts
   * import { createJafClient } from "@jaf/server/client";
   * import { DefaultChatTransport } from "ai";
   *
   * const { conversations } = createJafClient({ baseUrl: "" });
   *
   * export async function chatOptions(id: string) {
   *   const { messages } = await conversations.loadChat(id);
   *   return { id, messages, resume: true, transport: new DefaultChatTransport({ api: "/ai-sdk/chat" }) };
   * }
   *
   * const page = await conversations.list({ search: "tea" });
   * for (const { chatId, conversationId, title } of page.conversations) console.log(chatId, conversationId, title);
   * ```
   */
  readonly loadChat: (chatId: string, options?: CallOptions) => Promise<LoadedChat>;
  /** Changes the title: 1 to 200 characters without the spaces around it. */
  readonly rename: (conversationId: string, title: string) => Promise<{ readonly title: string }>;
  /** Deletes a conversation with its turns. */
  readonly delete: (conversationId: string) => Promise<{ readonly deleted: true }>;
  /** Deletes all conversations of the user. */
  readonly deleteAll: () => Promise<{ readonly deleted: number }>;
  /** Returns the text of the conversation's export, a JSON file. */
  readonly export: (conversationId: string, options?: CallOptions) => Promise<string>;
  /** Copies a conversation or its beginning to a new one. */
  readonly copy: (
    conversationId: string,
    request: CopyRequest,
  ) => Promise<{ readonly conversationId: string }>;
  /** Replaces a message of the user and drops all later ones. Yields the events of the new turn. */
  readonly edit: (
    conversationId: string,
    request: EditRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /** Answers a message of the user again. Yields the events of the new turn. */
  readonly regenerate: (
    conversationId: string,
    request: RegenerateRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /**
   * Asks a turn (default: the latest) to stop. It ends with a `turn_end` event shortly after. Returns `stopping: false` if the
   * turn isn't running.
   */
  readonly stop: (
    conversationId: string,
    request?: { readonly turnId?: string },
  ) => Promise<{ readonly stopping: boolean }>;
  /** Yields the events of a turn (default: the latest) until it ends. Also works after a reload or from another device. */
  readonly follow: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /** Returns the events of a turn (default: the latest) so far, at most 1,000, from the number `from` (default 0). */
  readonly events: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: CallOptions,
  ) => Promise<TurnEvents>;
  /** Returns the turns of a conversation with their records, latest first. `limit`: 1 to 100, default 20. */
  readonly turns: (
    conversationId: string,
    query?: { readonly limit?: number },
    options?: CallOptions,
  ) => Promise<{ readonly turns: readonly TurnSummary[] }>;
}

export function conversationMethods(http: Http): ConversationMethods {
  const pathOf = (conversationId: string, rest = "") =>
    `/conversations/${encodeURIComponent(conversationId)}${rest}`;
  return {
    list: (query = {}, options) => http.call("/conversations", { query: { ...query }, ...options }),
    get: (id, query = {}, options) => http.call(pathOf(id), { query: { ...query }, ...options }),
    loadChat: (id, options) => http.call(`/ai-sdk/chat/${encodeURIComponent(id)}/messages`, options),
    rename: (id, title) => http.call(pathOf(id), { method: "PATCH", body: { title } }),
    delete: (id) => http.call(pathOf(id), { method: "DELETE" }),
    deleteAll: () => http.call("/conversations", { method: "DELETE" }),
    export: async (id, options) => (await http.send(pathOf(id, "/export"), options)).text(),
    copy: (id, request) => http.call(pathOf(id, "/copy"), { method: "POST", body: request }),
    edit: (conversationId, body, options) =>
      startTurn(http, { path: pathOf(conversationId, "/edit"), body, conversationId }, options),
    regenerate: (conversationId, body, options) =>
      startTurn(http, { path: pathOf(conversationId, "/regenerate"), body, conversationId }, options),
    stop: (id, request = {}) => http.call(pathOf(id, "/stop"), { method: "POST", body: request }),
    follow: (conversationId, { turnId, from = 0 } = {}, options = {}) =>
      followTurn(http, { conversationId, turnId, from }, options),
    events: (id, query = {}, options) =>
      http.call(pathOf(id, "/events"), { query: { ...query }, ...options }),
    turns: (id, query = {}, options) => http.call(pathOf(id, "/turns"), { query: { ...query }, ...options }),
  };
}
