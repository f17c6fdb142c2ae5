import type { Agent, MemoryConfig, RunSettings } from "@jaf/core";
import type { MemoryProvider, Timers, TurnLog } from "@jaf/memory";
import { checkRelease, parseOptions } from "@jaf/memory/internal";
import type { MessageSearch } from "@jaf/user-memory";
import * as z from "zod";
import type { ClientFile } from "./http/client-content.ts";
import { TIMES, type TurnSharing, type TurnTiming } from "./jobs/turn-options.ts";
import type { Identity } from "./turns/turn-service.ts";

/** The agents of a server: a list of agents, or a map whose keys are the names that requests use. */
export type ServedAgents<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly Agent<Ctx, any>[] | ReadonlyMap<string, Agent<Ctx, any>>;

/**
 * The settings that all turns share. The server itself sets the conversation, user, approvals and abort signal of each
 * turn. The `/facts` routes use `userMemory` if it is a store of `@jaf/user-memory`.
 */
export type ServerRunConfig<Ctx> = RunSettings<Ctx> & {
  /**
   * Settings of conversation memory. `provider` can be left out if the server option `defaultMemoryProvider` is set.
   * `durability` defaults to `"step"`.
   */
  readonly memory?: Omit<MemoryConfig, "provider"> & { readonly provider?: MemoryProvider };
};

/** Limits of a server. The limits per user (e.g. `requestsPerMinute`) can be `Infinity`, which means no limit. */
export interface ServerLimits {
  /** Maximum size of a request body, in bytes. Default 1,000,000. */
  readonly bodyBytes?: number;
  /** Maximum time for receiving a request body, in ms. Default 10,000. */
  readonly bodyTimeoutMs?: number;
  /** Maximum number of requests per user and minute. Each server process counts for itself. Default 600. */
  readonly requestsPerMinute?: number;
  /**
   * Maximum number of turns of one user that run at the same time. Each server process counts the requests for itself. The
   * messages in a user's inboxes begin no turn while the user has as many turns in all processes. Default 10.
   */
  readonly turnsPerUser?: number;
  /** Maximum number of event streams that one user has open. Each server process counts for itself. Default 50. */
  readonly streamsPerUser?: number;
}

/** Options of {@link createServerApp}. */
export interface ServerAppOptions<Ctx> extends Pick<TurnSharing, "queue" | "concurrency"> {
  /**
   * Stores the conversations. Default: `memory.provider` of the run configuration. You must set one of these two
   * options.
   */
  readonly defaultMemoryProvider?: MemoryProvider;
  /**
   * Stores the turns and their events. Default: a log in this process's memory, and the process warns about it. Turns
   * in that log are lost when the process ends, and other processes can't see them. In production, use your adapter's
   * log, e.g. `createRedisTurnLog({}, client)`.
   */
  readonly turnLog?: TurnLog;
  /**
   * Stores reminders and schedules of conversations, e.g. those that agents set with `timerTools`. When one is due, its
   * message is put into the conversation's inbox, so you must also set `memory.inbox` of the run configuration. Default:
   * no timers.
   */
  readonly timers?: Timers;
  /**
   * Searches the messages of a user, for `GET /messages/search`: `createMessageSearch(provider)` of `@jaf/user-memory`,
   * with the provider of the server. Give the same object to `createMessageSearchTool`, so that both use one index.
   * Default: messages can't be searched.
   */
  readonly messageSearch?: MessageSearch;
  /**
   * Returns the user who sends the request, or `null` to reject the request with status 401. If the function throws a
   * `UserFacingError`, the response has status 403 and the error's message. If it throws another error, the response is
   * a server error. Default: all requests belong to the user `"local"`, and only requests to loopback hosts are
   * accepted.
   */
  readonly authenticate?: (request: Request) => Identity | null | Promise<Identity | null>;
  /**
   * Returns the context (`Ctx`) of a turn's run. Called again if another process takes over the turn. Default: the
   * context is the `identity`.
   */
  readonly context?: (identity: Identity) => Readonly<Ctx> | Promise<Readonly<Ctx>>;
  /** Name of the agent that answers requests that name no agent. Default: the first agent. */
  readonly defaultAgent?: string;
  /**
   * Returns the title of a new conversation, or `undefined` for no title. `text` is the text of the first message, and
   * is never empty. Default: the first 80 characters on one line. Lists of conversations show titles, so leave out
   * private content.
   */
  readonly titleOf?: (text: string) => string | undefined;
  /**
   * Returns whether the model may get a file that a user only names: by a URL, or by the model provider's id of the
   * file. The model provider reads the file with your API key, so return `true` only for files that this user may
   * read. If the function throws a `UserFacingError`, the response has status 403 and the error's message. If it
   * throws another error, the response is a server error. Default: no file is allowed. Files that a user sends as
   * bytes are always allowed.
   */
  readonly clientFiles?: (file: ClientFile, identity: Identity) => boolean | Promise<boolean>;
  /**
   * Returns whether a user (e.g. an operator) may read the sums of all users from the ledger, by `GET /ledger/all`. If
   * the function throws a `UserFacingError`, the response has status 403 and the error's message. If it throws another
   * error, the response is a server error. Default: no user may. Every user can read their own sums.
   */
  readonly mayReadLedger?: (identity: Identity) => boolean | Promise<boolean>;
  /**
   * Origins of other web pages that may call the server from a browser, e.g.
   * `{ origins: ["https://app.example.org"] }`. `true`: all origins, but without cookies. `false` (default): no other
   * origin.
   */
  readonly cors?: boolean | { readonly origins: readonly string[] };
  /**
   * Values that the `Host` header of requests may have. Include the port unless it is the scheme's default port.
   * Protects against DNS rebinding. Default with `authenticate`: any host. Default without `authenticate`: `localhost`,
   * `127.0.0.1` and `[::1]`, with any port.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The path at which the server is mounted, e.g. `"/api/jaf"`. Set this option if the URLs of requests still contain
   * this path when the framework passes the requests on. Default: no path.
   */
  readonly basePath?: string;
  /** Limits for request bodies and for each user. */
  readonly limits?: ServerLimits;
  /**
   * How long `close` waits for running turns, in ms. Turns that still run after this time are handed over to another
   * process. Default 10,000.
   */
  readonly shutdownMs?: number;
  /**
   * Receives errors of the server. Receives a `TurnFailedError` for each turn that failed and for each tool that threw
   * an error. `request.requestId` is the id of the request that caused the error. `request` is absent if no request
   * caused the error. The `cause` of a `TurnFailedError` describes the error that your code or a model provider threw.
   * Messages that the server itself writes hold no conversation content. Default: `console.error`.
   */
  readonly onError?: (error: unknown, request?: { readonly requestId: string }) => void;
  /** Time settings of turns and of the turn log, e.g. the duration of a lease. */
  readonly turns?: TurnTiming;
}

/** The validated server options, with defaults filled in. */
export type ServerSettings = z.output<typeof settingsSchema>;

const atLeastOne = z.number().min(1);

const settingsSchema = z.strictObject({
  // Checked where they are used.
  defaultMemoryProvider: z.unknown().optional(),
  turnLog: z.unknown().optional(),
  timers: z.unknown().optional(),
  messageSearch: z
    .custom<MessageSearch>(
      (value) => typeof value === "object" && value !== null && "search" in value && "drop" in value,
      { error: "expected a search of createMessageSearch" },
    )
    .optional(),
  queue: z.unknown().optional(),
  concurrency: z.unknown().optional(),
  turns: z.strictObject(Object.fromEntries(TIMES.map((name) => [name, z.unknown().optional()]))).optional(),
  authenticate: z.custom<unknown>((value) => typeof value === "function").optional(),
  context: z.custom<unknown>((value) => typeof value === "function").optional(),
  clientFiles: z
    .custom<ServerAppOptions<unknown>["clientFiles"]>((value) => typeof value === "function")
    .optional(),
  mayReadLedger: z.custom<unknown>((value) => typeof value === "function").optional(),
  onError: z.custom<unknown>((value) => typeof value === "function").optional(),
  defaultAgent: z.string().optional(),
  titleOf: z.custom<(text: string) => string | undefined>((value) => typeof value === "function").optional(),
  cors: z
    .union([z.boolean(), z.strictObject({ origins: z.array(z.url({ protocol: /^https?$/ })) })])
    .default(false),
  allowedHosts: z.array(z.string().min(1)).optional(),
  basePath: z
    .string()
    .regex(/^(?:\/[^/?#]+)+$/, { error: 'expected a path such as "/api/jaf"' })
    .optional(),
  shutdownMs: z.number().min(0).default(10_000),
  limits: z
    .strictObject({
      bodyBytes: atLeastOne.default(1_000_000),
      bodyTimeoutMs: atLeastOne.default(10_000),
      requestsPerMinute: atLeastOne.or(z.literal(Number.POSITIVE_INFINITY)).default(600),
      turnsPerUser: atLeastOne.or(z.literal(Number.POSITIVE_INFINITY)).default(10),
      streamsPerUser: atLeastOne.or(z.literal(Number.POSITIVE_INFINITY)).default(50),
    })
    .prefault({}),
});

/** Validates the server options and fills in defaults. Throws a `TypeError` that names the invalid field. */
export function parseSettings(options: unknown): ServerSettings {
  checkRelease(globalThis.JAF_RELEASE);
  return parseOptions(settingsSchema, options, "server options");
}
