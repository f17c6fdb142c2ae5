import { type AgentList, type TurnAnswer, type ConversationMethods, conversationMethods, type ChatRequest } from "./conversations.ts";
import { type ApprovalMethods, approvalMethods } from "./approvals.ts";
import { type FactMethods, factMethods } from "./facts.ts";
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
