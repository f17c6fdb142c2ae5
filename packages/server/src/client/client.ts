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
  /** Where the server's routes are, e.g. `"https://example.org/api"`, or `""` for the page's own origin. */
  readonly baseUrl: string;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  /** Of every request, e.g. `authorization`; or a function that is asked before each. */
  readonly headers?: ClientHeaders;
}

/** A server of `@jaf/server`. Every method rejects with a `JafClientError` alone. */
export interface JafClient {
  readonly health: (options?: CallOptions) => Promise<{ readonly status: string }>;
  readonly agents: (options?: CallOptions) => Promise<AgentList>;
  /**
   * Says something, or decides about calls that wait, and gives the events of the turn, each once and in order. The turn is the
   * server's: who stops reading doesn't stop it, and a lost connection is opened again where it was lost. Rejects without having
   * given an event if no turn began, or if the connection was lost before that was known: `conversations.get` tells.
   */
  readonly chat: (request: ChatRequest, options?: FollowOptions) => AsyncGenerator<FollowedEvent, void, void>;
  /** As `chat`, but waits for the end, on one connection. */
  readonly ask: (request: ChatRequest, options?: CallOptions) => Promise<TurnAnswer>;
  readonly conversations: ConversationMethods;
  readonly approvals: ApprovalMethods;
  readonly facts: FactMethods;
  readonly memory: {
    /** Of the store, of the turn log and of user memory. */
    readonly health: (options?: CallOptions) => Promise<unknown>;
    /** The user's own. */
    readonly stats: (options?: CallOptions) => Promise<unknown>;
  };
  /** The routes, as an OpenAPI 3.1 document. */
  readonly openApi: (options?: CallOptions) => Promise<unknown>;
}

export interface AgentSummary {
  readonly name: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly runs: "server" | "client";
    /** Whether calls of it may wait for an approval. */
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
  /** What the user says. */
  readonly message?: string | readonly ContentPart[];
  /** Several messages of the user. */
  readonly messages?: readonly { readonly role: "user"; readonly content: string | readonly ContentPart[] }[];
  /** The conversation as the client has it: the server refuses one that it didn't send. */
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

/** Makes a client. It opens no connection before it is asked. */
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
