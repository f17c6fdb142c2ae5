import type { ContentPart, Message } from "@jaf/memory";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { type FollowedEvent, type FollowOptions, followTurn, startTurn } from "./follow.ts";
import type { CallOptions, Http } from "./http.ts";

export type TurnState = "running" | "waiting" | "ended";

export interface ConversationSummary {
  readonly conversationId: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly lastActivity: string;
  /** Number of messages. */
  readonly messages: number;
  readonly version: number;
  readonly turn?: { readonly turnId: string; readonly state: TurnState };
}

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  readonly nextCursor?: string;
}

export interface PositionedMessage {
  /** Counted from the conversation's first message. */
  readonly position: number;
  readonly message: Message;
}

export interface Conversation {
  readonly conversationId: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly version: number;
  readonly messages: readonly PositionedMessage[];
  /** Whether there are messages before the first of these. */
  readonly earlier: boolean;
  readonly turn?: {
    readonly turnId: string;
    readonly state: TurnState;
    /** Number of events so far. */
    readonly events: number;
  };
}

export interface TurnEvents {
  readonly turnId: string;
  readonly state: TurnState;
  readonly events: readonly NumberedEvent[];
}

/** A turn of a conversation, with its record. */
export interface TurnSummary {
  readonly turnId: string;
  readonly state: TurnState;
  readonly startedAt: string;
  /** What the model saw (`TurnRecord`). Absent while the turn runs. */
  readonly record?: unknown;
}

export interface EditRequest {
  /** Position of the user's message to replace. All later messages are dropped. */
  readonly position: number;
  /** The conversation's version that the client saw. If it has changed, the request fails with status 409. */
  readonly version: number;
  readonly message: string | readonly ContentPart[];
  readonly agentName?: string;
}

export interface RegenerateRequest {
  /** Position of the user's message to answer again. Default: the last. */
  readonly position?: number;
  readonly version: number;
  readonly agentName?: string;
}

export interface CopyRequest {
  /** Copies only the messages before this position. Default: all. */
  readonly upTo?: number;
  readonly version: number;
  readonly title?: string;
}

export interface ConversationMethods {
  /** Returns a page of conversations, latest first. The server sets the default limit. */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string },
    options?: CallOptions,
  ) => Promise<ConversationPage>;
  /** Returns a conversation with its last messages, or with those before the position `before`. */
  readonly get: (
    conversationId: string,
    query?: { readonly before?: number; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<Conversation>;
  readonly rename: (conversationId: string, title: string) => Promise<{ readonly title: string }>;
  readonly delete: (conversationId: string) => Promise<{ readonly deleted: true }>;
  /** Deletes all conversations of the user. */
  readonly deleteAll: () => Promise<{ readonly deleted: number }>;
  /** Returns the text of the conversation's export, a JSON file. */
  readonly export: (conversationId: string, options?: CallOptions) => Promise<string>;
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
  /** Asks the running turn to stop. It ends with a `turn_end` event shortly after. */
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
  /** Returns the events of a turn (default: the latest) so far. */
  readonly events: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: CallOptions,
  ) => Promise<TurnEvents>;
  /** Returns the turns of a conversation with their records, latest first. */
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
