import type { AiSdkUIMessage } from "@jaf/ai-sdk";
import type { Message, TextRange } from "@jaf/memory";
import type { ClientPart } from "../http/client-content.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { type FollowedEvent, type FollowOptions, followTurn, startTurn } from "./follow.ts";
import type { CallOptions, Http } from "./http.ts";

/**
 * The state of a turn. `"waiting"`: the turn has ended, but some of its tool calls wait for an approval or for the
 * client.
 */
export type TurnState = "running" | "waiting" | "ended";

/** A conversation in a list. */
export interface ConversationSummary {
  readonly conversationId: string;
  /**
   * The id that opens the conversation in `useChat` of the AI SDK. If a page created the conversation with `useChat`,
   * this is the chat id that the page chose. Otherwise, this is the `conversationId`.
   */
  readonly chatId: string;
  readonly title: string | null;
  /** When the conversation was created (ISO 8601). */
  readonly createdAt: string;
  /** When the conversation was last changed (ISO 8601). */
  readonly lastActivity: string;
  /** Number of messages in the conversation. */
  readonly messages: number;
  /** A number that changes whenever the messages change. Pass it to `edit`, `regenerate` or `copy`. */
  readonly version: number;
  /** The conversation's latest turn. Absent: this turn has ended, or the turn log has no turn of the conversation. */
  readonly turn?: { readonly turnId: string; readonly state: TurnState };
}

/** A page of conversations. */
export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  /** The value for `cursor` to get the next page. Absent on the last page. */
  readonly nextCursor?: string;
}

/** A message with its position in the conversation. */
export interface PositionedMessage {
  /** The message's position: the conversation's first message has position 0. */
  readonly position: number;
  readonly message: Message;
}

/** A conversation with some of its messages. */
export interface Conversation {
  readonly conversationId: string;
  /**
   * The id that opens the conversation in `useChat` of the AI SDK. If a page created the conversation with `useChat`,
   * this is the chat id that the page chose. Otherwise, this is the `conversationId`.
   */
  readonly chatId: string;
  readonly title: string | null;
  /** When the conversation was created (ISO 8601). */
  readonly createdAt: string;
  /** When the conversation was last changed (ISO 8601). */
  readonly lastActivity: string;
  /** A number that changes whenever the messages change. Pass it to `edit`, `regenerate` or `copy`. */
  readonly version: number;
  /** The messages that were loaded, oldest first. */
  readonly messages: readonly PositionedMessage[];
  /** Whether the conversation has messages before the first of `messages`. */
  readonly earlier: boolean;
  /** The conversation's latest turn, in any state. Absent: the turn log has no turn of the conversation. */
  readonly turn?: {
    readonly turnId: string;
    readonly state: TurnState;
    /** Number of events that the turn has so far. */
    readonly events: number;
  };
}

/** A chat, loaded for `useChat` of the AI SDK. */
export interface LoadedChat {
  /**
   * The conversation id of the chat, for the other methods (e.g. `rename`). A new chat has a conversation id before its
   * first message.
   */
  readonly conversationId: string;
  /** The chat's messages, oldest first. `[]`: the chat is new. */
  readonly messages: AiSdkUIMessage[];
}

/** A turn and its events so far. */
export interface TurnEvents {
  readonly turnId: string;
  readonly state: TurnState;
  readonly events: readonly NumberedEvent[];
}

/** A turn of a conversation, with its `TurnRecord`. */
export interface TurnSummary {
  readonly turnId: string;
  readonly state: TurnState;
  /** When the turn started (ISO 8601). */
  readonly startedAt: string;
  /**
   * What the model received in the turn, with usage and cost: a `TurnRecord` of `@jaf/server`. Absent while the turn
   * runs.
   */
  readonly record?: unknown;
}

/** A new message that replaces an earlier message of the user. */
export interface EditRequest {
  /** Position of the user's message to replace. All later messages are removed. */
  readonly position: number;
  /**
   * The conversation's version that the client saw. If the conversation has changed, the request fails with status 409.
   */
  readonly version: number;
  /** The new message. */
  readonly message: string | readonly ClientPart[];
  /** The agent's name. Default: the server's default agent. */
  readonly agentName?: string;
}

/** Which message of the user the agent answers again. */
export interface RegenerateRequest {
  /**
   * Position of the user's message to answer again. All later messages are removed. Default: the user's last message.
   */
  readonly position?: number;
  /**
   * The conversation's version that the client saw. If the conversation has changed, the request fails with status 409.
   */
  readonly version: number;
  /** The agent's name. Default: the server's default agent. */
  readonly agentName?: string;
}

/** A message for a conversation, whether or not a turn is running. */
export interface SendRequest {
  readonly message: string | readonly ClientPart[];
  /**
   * Names the message in its conversation: a repeated request with the same key, within 24 hours, sends nothing. 1 to
   * 255 UTF-16 units. Default: a random key, so a repeated request sends the message twice.
   */
  readonly key?: string;
  /** The agent that begins a turn with the message, if none is running. Default: the server's default agent. */
  readonly agentName?: string;
}

/** How much of a conversation to copy. */
export interface CopyRequest {
  /**
   * Copies only the messages before this position. The message at this position must be a user's message. Default:
   * copies all messages.
   */
  readonly upTo?: number;
  /**
   * The conversation's version that the client saw. If the conversation has changed, the request fails with status 409.
   */
  readonly version: number;
  /** The title of the copy. Default: the title of the copied conversation. */
  readonly title?: string;
}

/** What to search for in the user's messages. */
export interface MessageQuery {
  /** Words, or a question: 1 to 1,000 characters. */
  readonly query: string;
  /** 1 to 100 messages. Default 10. */
  readonly limit?: number;
  /** Only searches this conversation. */
  readonly conversationId?: string;
}

/** A message that a search found, with the part of it that matches. */
export interface MessageMatch {
  readonly conversationId: string;
  /** The title of the conversation. */
  readonly title: string | null;
  /** When the conversation was created (ISO 8601). */
  readonly createdAt: string;
  /** When the conversation was last changed (ISO 8601). */
  readonly lastActivity: string;
  /** Position of the message in its conversation, from 0. */
  readonly position: number;
  readonly role: Message["role"];
  /** The part of the message that matches best: some sentences of plain text. */
  readonly passage: string;
  /** Where `passage` contains words of the query, in order, as `slice` counts. */
  readonly matches: readonly TextRange[];
}

/** Lists, reads and changes the user's conversations and their turns. */
export interface ConversationMethods {
  /**
   * Returns a page of the user's conversations, latest first.
   *
   * - `limit`: 1 to 100 conversations, default 30.
   * - `cursor`: the `nextCursor` of the page before.
   * - `search`: only conversations whose title contains this text of 1 to 200 characters, ignoring case.
   *
   * With `search`, the server looks through 1,000 conversations for each page. A page with `nextCursor` may have fewer
   * than `limit` conversations, or none.
   */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string; readonly search?: string },
    options?: CallOptions,
  ) => Promise<ConversationPage>;
  /**
   * Searches all messages of the user by words, and returns the best matches first. What tools returned isn't searched.
   * Rejects with code `"not-configured"` if the server has no `messageSearch`.
   */
  readonly search: (
    query: MessageQuery,
    options?: CallOptions,
  ) => Promise<{ readonly messages: readonly MessageMatch[] }>;
  /**
   * Returns a conversation with its last messages. With `before`, returns the last messages before this position
   * instead. `limit`: 1 to 1,000 messages, default 100.
   */
  readonly get: (
    conversationId: string,
    query?: { readonly before?: number; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<Conversation>;
  /**
   * Returns the messages to pass to `useChat` of the AI SDK. `chatId` is an id that the page chose for `useChat`, or
   * a conversation id. Loads the first of these that exists:
   *
   * - The user's conversation that was created with this chat id.
   * - The user's conversation with this conversation id.
   * - A new chat without messages.
   *
   * The other methods, e.g. `rename` and `delete`, need the returned `conversationId`.
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
  /** Changes a conversation's title. The title has 1 to 200 characters; spaces at its start and end are removed. */
  readonly rename: (conversationId: string, title: string) => Promise<{ readonly title: string }>;
  /** Deletes a conversation and its turns in the turn log. */
  readonly delete: (conversationId: string) => Promise<{ readonly deleted: true }>;
  /** Deletes all conversations of the user. Returns their number. */
  readonly deleteAll: () => Promise<{ readonly deleted: number }>;
  /** Exports a conversation. Returns the text of a JSON file. */
  readonly export: (conversationId: string, options?: CallOptions) => Promise<string>;
  /** Copies a conversation, or only its beginning, into a new conversation. Returns the new conversation's id. */
  readonly copy: (
    conversationId: string,
    request: CopyRequest,
  ) => Promise<{ readonly conversationId: string }>;
  /** Replaces a message of the user, removes all later messages, and starts a turn. Yields the events of this turn. */
  readonly edit: (
    conversationId: string,
    request: EditRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /**
   * Removes all messages after a message of the user, and starts a turn that answers this message again. Yields the
   * events of this turn.
   */
  readonly regenerate: (
    conversationId: string,
    request: RegenerateRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /**
   * Sends a message. The running turn takes it before its next model call, e.g. to be steered by it; otherwise it begins
   * the next turn. While calls wait for an approval or for the client, the message waits, too. Returns the `turnId` of
   * the turn that the message began, if it began one: `follow` yields its events. Rejects with code `"not-configured"`
   * if the server has no inbox.
   */
  readonly send: (
    conversationId: string,
    request: SendRequest,
  ) => Promise<{ readonly sent: true; readonly turnId?: string }>;
  /**
   * Asks a turn (default: the latest) to stop. Returns `stopping: false` if the turn isn't running. Otherwise, returns
   * `stopping: true`, and the turn ends with a `turn_end` event shortly after.
   */
  readonly stop: (
    conversationId: string,
    request?: { readonly turnId?: string },
  ) => Promise<{ readonly stopping: boolean }>;
  /**
   * Yields the events of a turn (default: the latest) until the turn ends. Call it after a page reload, or on another
   * device. `from`: the number of the first event to yield, default 0.
   */
  readonly follow: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /**
   * Returns the events that a turn (default: the latest) has so far, at most 1,000. `from`: the number of the first
   * event, default 0.
   */
  readonly events: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: CallOptions,
  ) => Promise<TurnEvents>;
  /**
   * Returns the turns of a conversation, latest first, each with its `TurnRecord`. `limit`: 1 to 100 turns, default 20.
   */
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
    search: (query, options) => http.call("/messages/search", { query: { ...query }, ...options }),
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
    send: (id, request) => http.call(pathOf(id, "/inbox"), { method: "POST", body: request }),
    stop: (id, request = {}) => http.call(pathOf(id, "/stop"), { method: "POST", body: request }),
    follow: (conversationId, { turnId, from = 0 } = {}, options = {}) =>
      followTurn(http, { conversationId, turnId, from }, options),
    events: (id, query = {}, options) =>
      http.call(pathOf(id, "/events"), { query: { ...query }, ...options }),
    turns: (id, query = {}, options) => http.call(pathOf(id, "/turns"), { query: { ...query }, ...options }),
  };
}
