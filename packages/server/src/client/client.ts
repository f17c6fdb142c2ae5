import type { ClientToolResult, ModelUsage } from "@jaf/core";
import type { ApprovalDecision, Message } from "@jaf/memory";
import type { ClientPart } from "../http/client-content.ts";
import type { TurnEnd, TurnError } from "../turns/turn-event.ts";
import { type ApprovalMethods, approvalMethods } from "./approvals.ts";
import { type ConversationMethods, conversationMethods } from "./conversations.ts";
import { type FactMethods, factMethods } from "./facts.ts";
import { type FollowedEvent, type FollowOptions, startTurn } from "./follow.ts";
import { type CallOptions, type ClientHeaders, createHttp, type Fetch } from "./http.ts";
import { type LedgerMethods, ledgerMethods } from "./ledger.ts";
import { type TimerMethods, timerMethods } from "./timers.ts";
import type { WaitingCall } from "./turn-items.ts";

/** Options of {@link createJafClient}. */
export interface JafClientOptions {
  /**
   * The URL before the paths of the server's routes, e.g. `"https://example.org/api"`. `""`: the origin of the current
   * page.
   */
  readonly baseUrl: string;
  /** Sends the requests. Your own function can add options, e.g. `credentials`. Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /**
   * Headers for every request (e.g. `authorization`), or a function that returns these headers. The function is
   * called before each request.
   */
  readonly headers?: ClientHeaders;
}

/** A client of a `@jaf/server` server. All methods reject with a `JafClientError` only. */
export interface JafClient {
  /** Returns `{ status: "ok" }` if the server is up. Needs no authentication. */
  readonly health: (options?: CallOptions) => Promise<{ readonly status: string }>;
  /** Returns the server's agents and their tools. */
  readonly agents: (options?: CallOptions) => Promise<AgentList>;
  /**
   * Starts a turn with a message, or with answers to pending calls (see `ChatRequest`). Yields each event of the turn
   * once and in order. The turn runs on the server and continues if you stop reading. If the connection is lost, the
   * client reconnects and continues with the next event.
   *
   * Rejects in two cases before the first event:
   *
   * - The server refused the request: no turn has begun.
   * - The connection was lost: a turn may have begun. Check with `conversations.get`.
   */
  readonly chat: (request: ChatRequest, options?: FollowOptions) => AsyncGenerator<FollowedEvent, void, void>;
  /**
   * Starts a turn like `chat`, waits for the turn's end and returns its result. Rejects if the connection is lost, and
   * doesn't reconnect. The turn continues on the server.
   */
  readonly ask: (request: ChatRequest, options?: CallOptions) => Promise<TurnAnswer>;
  /**
   * Starts a turn like `chat`, and resolves with its ids as soon as it has begun. `conversations.follow` yields its
   * events, also later or on another device. If the connection is lost, a turn may have begun.
   */
  readonly start: (
    request: ChatRequest,
    options?: CallOptions,
  ) => Promise<{ readonly conversationId: string; readonly turnId: string }>;
  /**
   * Returns the user's turns that run or wait for the user, latest first. `limit`: 1 to 100 turns, default 20. To stop
   * one, call `conversations.stop`.
   */
  readonly openTurns: (
    query?: { readonly state?: OpenTurn["state"]; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<{ readonly turns: readonly OpenTurn[] }>;
  /** Lists, reads and changes the user's conversations and their turns. */
  readonly conversations: ConversationMethods;
  /** Sets, lists and removes reminders and schedules. */
  readonly timers: TimerMethods;
  /** Lists the tool calls that wait for an approval or for the client. Answer these calls with `chat` or `ask`. */
  readonly approvals: ApprovalMethods;
  /** Lists and changes the facts about the user. */
  readonly facts: FactMethods;
  /** Reports what model calls used and cost. */
  readonly ledger: LedgerMethods;
  /** Reports about the stores of the server. */
  readonly memory: {
    /** Returns the health of the conversation store, the turn log and user memory. */
    readonly health: (options?: CallOptions) => Promise<unknown>;
    /** Returns how many conversations and messages of the user are stored. */
    readonly stats: (options?: CallOptions) => Promise<unknown>;
  };
  /** Returns the OpenAPI 3.1 document of the routes. */
  readonly openApi: (options?: CallOptions) => Promise<unknown>;
}

/** An agent of the server. */
export interface AgentSummary {
  /** The agent's name. Use it as `ChatRequest.agentName`. */
  readonly name: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    /**
     * Where the tool runs. If `"client"`, your client must run the tool and send its result with
     * `ChatRequest.toolResults`.
     */
    readonly runs: "server" | "client";
    /** Whether calls of the tool may wait for an approval. */
    readonly approval: boolean;
  }[];
}

/** The agents of the server. */
export interface AgentList {
  readonly agents: readonly AgentSummary[];
  /** The name of the agent for requests without `agentName`. */
  readonly defaultAgent: string;
}

/** A request that starts a turn: with a message of the user, or with answers to pending calls. */
export interface ChatRequest {
  /** The agent's name. Default: the server's default agent. */
  readonly agentName?: string;
  /** The conversation to continue. Default: a new conversation. */
  readonly conversationId?: string;
  /** The user's message. */
  readonly message?: string | readonly ClientPart[];
  /** Several messages of the user, in place of `message`. */
  readonly messages?: readonly { readonly role: "user"; readonly content: string | readonly ClientPart[] }[];
  /**
   * The client's copy of the conversation. If this copy differs from the stored messages, the server rejects the
   * request.
   */
  readonly history?: readonly Message[];
  /**
   * A token that stands for the history, in place of `history`. You get it as `PromptResult.historyToken` of
   * `@jaf/core`.
   */
  readonly historyToken?: string;
  /**
   * Whether nothing of the turn is remembered as facts about the user. The conversation is stored as always, and the
   * messages begin with `[off the record]`. Default `false`.
   */
  readonly offTheRecord?: boolean;
  /** The user's decisions about tool calls that wait for an approval. */
  readonly approvals?: readonly ApprovalDecision[];
  /** The results of tool calls that the client has run. */
  readonly toolResults?: readonly ClientToolResult[];
}

/** A turn that runs, or that waits for an approval or for the client. */
export interface OpenTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly state: "running" | "waiting";
  /** When the turn started (ISO 8601). */
  readonly startedAt: string;
}

/** The result of a turn that has ended. */
export interface TurnAnswer {
  readonly conversationId: string;
  readonly turnId: string;
  readonly status: TurnEnd["status"];
  /** The text of the turn's last reply. */
  readonly text: string;
  /** The replies of the turn, in order. */
  readonly messages: readonly Message[];
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The tool calls that wait for an approval or for the client. Empty unless the status is `interrupted`. */
  readonly interruptions: readonly WaitingCall[];
  /** Why the turn failed. Present only with status `error`. */
  readonly error?: TurnError;
  /** The conversation's version after the turn. Absent if unknown. */
  readonly version?: number;
  readonly usage?: ModelUsage;
  readonly spent?: TurnEnd["spent"];
}

/**
 * Creates a client of a `@jaf/server` server. The client opens no connection until you call a method.
 *
 * @example
 * ```ts
 * import { createJafClient } from "@jaf/server/client";
 *
 * declare function accessToken(): Promise<string>;
 *
 * const client = createJafClient({
 *   baseUrl: "https://example.org/api",
 *   headers: async () => ({ authorization: `Bearer ${await accessToken()}` }),
 * });
 * const { conversationId, text } = await client.ask({ message: "What is 6 * 7?" });
 * console.log(conversationId, text);
 * ```
 */
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
    start: (request, options) =>
      http.call("/chat", { method: "POST", body: { ...request, background: true }, ...options }),
    openTurns: (query = {}, options) => http.call("/turns/open", { query: { ...query }, ...options }),
    conversations: conversationMethods(http),
    timers: timerMethods(http),
    approvals: approvalMethods(http),
    facts: factMethods(http),
    ledger: ledgerMethods(http),
    memory: {
      health: (options) => http.call("/memory/health", options),
      stats: (options) => http.call("/memory/stats", options),
    },
    openApi: async (options) => (await http.send("/openapi.json", options)).json(),
  };
}
