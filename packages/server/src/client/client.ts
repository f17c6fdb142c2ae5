import type { ClientToolResult, ModelUsage } from "@jaf/core";
import type { ApprovalDecision, ContentPart, Message } from "@jaf/memory";
import type { TurnEnd, TurnError } from "../turns/turn-event.ts";
import { type ApprovalMethods, approvalMethods } from "./approvals.ts";
import { type ConversationMethods, conversationMethods } from "./conversations.ts";
import { type FactMethods, factMethods } from "./facts.ts";
import type { WaitingCall } from "./fold-turn.ts";
import { type FollowedEvent, type FollowOptions, startTurn } from "./follow.ts";
import { type CallOptions, type ClientHeaders, createHttp, type Fetch } from "./http.ts";

export interface JafClientOptions {
  /** Base URL of the server's routes, e.g. `"https://example.org/api"`, or `""` for the page's origin. */
  readonly baseUrl: string;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Headers for every request, e.g. `authorization`, or a function that is called before each request. */
  readonly headers?: ClientHeaders;
}

/** A client of a `@jaf/server` server. All methods reject with a `JafClientError` only. */
export interface JafClient {
  readonly health: (options?: CallOptions) => Promise<{ readonly status: string }>;
  readonly agents: (options?: CallOptions) => Promise<AgentList>;
  /**
   * Starts a turn with a message, or answers waiting calls, and yields each event of the turn once and in order. The turn runs on
   * the server: it continues if you stop reading, and a lost connection is resumed at the next event. Rejects before the first
   * event if no turn began or the connection was lost too early to know. In the second case, check with `conversations.get`.
   */
  readonly chat: (request: ChatRequest, options?: FollowOptions) => AsyncGenerator<FollowedEvent, void, void>;
  /** Starts a turn as `chat` does, but waits for its end. Doesn't reconnect. */
  readonly ask: (request: ChatRequest, options?: CallOptions) => Promise<TurnAnswer>;
  readonly conversations: ConversationMethods;
  readonly approvals: ApprovalMethods;
  readonly facts: FactMethods;
  readonly memory: {
    /** Returns the health of the store, the turn log and user memory. */
    readonly health: (options?: CallOptions) => Promise<unknown>;
    /** Returns how much the user has stored. */
    readonly stats: (options?: CallOptions) => Promise<unknown>;
  };
  /** Returns the OpenAPI 3.1 document of the routes. */
  readonly openApi: (options?: CallOptions) => Promise<unknown>;
}

export interface AgentSummary {
  readonly name: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly runs: "server" | "client";
    /** Whether calls of the tool may wait for an approval. */
    readonly approval: boolean;
  }[];
}

export interface AgentList {
  readonly agents: readonly AgentSummary[];
  readonly defaultAgent: string;
}

export interface ChatRequest {
  /** Default: the server's default agent. */
  readonly agentName?: string;
  /** Absent: a new conversation. */
  readonly conversationId?: string;
  /** The user's message. */
  readonly message?: string | readonly ContentPart[];
  /** Several messages of the user. */
  readonly messages?: readonly { readonly role: "user"; readonly content: string | readonly ContentPart[] }[];
  /** The client's copy of the conversation. The server rejects it if it differs from the stored messages. */
  readonly history?: readonly Message[];
  readonly historyToken?: string;
  readonly approvals?: readonly ApprovalDecision[];
  readonly toolResults?: readonly ClientToolResult[];
}

export interface TurnAnswer {
  readonly conversationId: string;
  readonly turnId: string;
  readonly status: TurnEnd["status"];
  readonly text: string;
  readonly messages: readonly Message[];
  readonly output?: unknown;
  readonly interruptions: readonly WaitingCall[];
  readonly error?: TurnError;
  readonly version?: number;
  readonly usage?: ModelUsage;
  readonly spent?: TurnEnd["spent"];
}

/** Creates a client. It opens no connection until you call a method. */
export function createJafClient({ baseUrl, fetch, headers }: JafClientOptions): JafClient {
  const http = createHttp({
    baseUrl,
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    headers,
  });
  return {
    health: (options) => http.call("/health", options),
    agents: (options) => http.call("/agents", options),
    chat: (body, options) =>
      startTurn(http, { path: "/chat", body, conversationId: body.conversationId }, options),
    ask: (body, options) => http.call("/chat", { method: "POST", body, ...options }),
    conversations: conversationMethods(http),
    approvals: approvalMethods(http),
    facts: factMethods(http),
    memory: {
      health: (options) => http.call("/memory/health", options),
      stats: (options) => http.call("/memory/stats", options),
    },
    openApi: async (options) => (await http.send("/openapi.json", options)).json(),
  };
}
