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
  /** How many messages it has. */
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
    /** How many it has so far. */
    readonly events: number;
  };
}

export interface TurnEvents {
  readonly turnId: string;
  readonly state: TurnState;
  readonly events: readonly NumberedEvent[];
}

/** What a turn left. */
export interface TurnSummary {
  readonly turnId: string;
  readonly state: TurnState;
  readonly startedAt: string;
  /** What the model saw. Absent while it runs. */
  readonly record?: unknown;
}

export interface EditRequest {
  /** Of the user's message that is replaced, with all after it. */
  readonly position: number;
  /** The conversation's version that the client saw. Another one is refused, as 409. */
  readonly version: number;
  readonly message: string | readonly ContentPart[];
  readonly agentName?: string;
}

export interface RegenerateRequest {
  /** Of the user's message that is answered anew. Default: the last. */
  readonly position?: number;
  readonly version: number;
  readonly agentName?: string;
}

export interface CopyRequest {
  /** The copy has the messages before this position. Default: all. */
  readonly upTo?: number;
  readonly version: number;
  readonly title?: string;
}

export interface ConversationMethods {
  /** The latest first. Default limit: the server's. */
  readonly list: (
    query?: { readonly limit?: number; readonly cursor?: string },
    options?: CallOptions,
  ) => Promise<ConversationPage>;
  /** Its last messages, or those before the position `before`. */
  readonly get: (
    conversationId: string,
    query?: { readonly before?: number; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<Conversation>;
  readonly rename: (conversationId: string, title: string) => Promise<{ readonly title: string }>;
  readonly delete: (conversationId: string) => Promise<{ readonly deleted: true }>;
  /** All of the user's. */
  readonly deleteAll: () => Promise<{ readonly deleted: number }>;
  /** The whole conversation, as the file that the server sends. */
  readonly export: (conversationId: string, options?: CallOptions) => Promise<string>;
  readonly copy: (
    conversationId: string,
    request: CopyRequest,
  ) => Promise<{ readonly conversationId: string }>;
  /** Replaces a message of the user's and all after it. The events of the new turn. */
  readonly edit: (
    conversationId: string,
    request: EditRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /** Answers a message of the user's anew. The events of the new turn. */
  readonly regenerate: (
    conversationId: string,
    request: RegenerateRequest,
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /** Asks the running turn to stop, which `turn_end` tells a moment later. */
  readonly stop: (
    conversationId: string,
    request?: { readonly turnId?: string },
  ) => Promise<{ readonly stopping: boolean }>;
  /** The events of a turn (default: the latest) until it ends, also after a reload or from another device. */
  readonly follow: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: FollowOptions,
  ) => AsyncGenerator<FollowedEvent, void, void>;
  /** The events of a turn (default: the latest) so far. */
  readonly events: (
    conversationId: string,
    turn?: { readonly turnId?: string; readonly from?: number },
    options?: CallOptions,
  ) => Promise<TurnEvents>;
  /** What each turn left, the latest first, e.g. what the model saw. */
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
