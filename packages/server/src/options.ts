import type { Agent, MemoryConfig, RunSettings } from "@jaf/core";
import type { MemoryProvider, TurnLog } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { TurnTiming } from "./jobs/options.ts";
import type { Identity } from "./turns/turn-service.ts";

/** The agents of a server: a list, or a map by name. */
export type ServedAgents<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly Agent<Ctx, any>[] | ReadonlyMap<string, Agent<Ctx, any>>;

/**
 * Settings for all runs. The server sets those of a single turn: conversation, user, approvals and signal. `userMemory` is also
 * that of the `/facts` routes, if it is a store of `@jaf/user-memory`.
 */
export type ServerRunConfig<Ctx> = RunSettings<Ctx> & {
  /** `provider` is optional if `defaultMemoryProvider` is set. `durability` defaults to `"step"`. */
  readonly memory?: Omit<MemoryConfig, "provider"> & { readonly provider?: MemoryProvider };
};

/** Limits of a server. The limits per user accept `Infinity`. */
export interface ServerLimits {
  /** Maximum size of a request body, in bytes. Default 1,000,000. */
  readonly bodyBytes?: number;
  /** Maximum time until a request body has arrived, in ms. Default 10,000. */
  readonly bodyTimeoutMs?: number;
  /** Requests per user and minute in this process. Default 600. */
  readonly requestsPerMinute?: number;
  /** Concurrent turns per user in this process. Default 10. */
  readonly turnsPerUser?: number;
  /** Open streams per user in this process. Default 50. */
  readonly streamsPerUser?: number;
}

/** Options of {@link createServerApp}. */
export interface ServerAppOptions<Ctx> {
  /** Stores conversations. Default: `memory.provider` of the run configuration. One of the two is required. */
  readonly defaultMemoryProvider?: MemoryProvider;
  /**
   * The turn log. Default: an in-memory log with a process warning; turns are lost when the process ends, and other processes can't
   * see them. In production, use your adapter's log, e.g. `createRedisTurnLog(client)`.
   */
  readonly turnLog?: TurnLog;
  /**
   * Returns the user who sends the request, or `null` to reject it with status 401. A `UserFacingError` rejects it with status 403
   * and its message; any other exception is a server error. By default, all requests belong to the user `"local"`, and the server accepts loopback addresses only.
   */
  readonly authenticate?: (request: Request) => Identity | null | Promise<Identity | null>;
  /** Returns the context of a run. Called again if another process takes over the turn. Default: the identity. */
  readonly context?: (identity: Identity) => Readonly<Ctx> | Promise<Readonly<Ctx>>;
  /** Name of the agent for requests without one. Default: the first agent. */
  readonly defaultAgent?: string;
  /**
   * Returns the title of a new conversation from the text of its first message, which isn't empty, or `undefined` for no title.
   * Default: the first 80 characters on one line. Lists show titles, so leave out private content here.
   */
  readonly titleOf?: (text: string) => string | undefined;
  /**
   * Other origins that browsers may use the server from, e.g. `{ origins: ["https://app.example.org"] }`. `true`: all, without
   * cookies. Default `false`: none.
   */
  readonly cors?: boolean | { readonly origins: readonly string[] };
  /**
   * Host names that requests may use, with the port unless it is the scheme's default. Without `authenticate`, the default is
   * `localhost`, `127.0.0.1` and `[::1]` with any port; with it, any host. Protects against DNS rebinding.
   */
  readonly allowedHosts?: readonly string[];
  /** Path at which the server is mounted, e.g. `"/api/jaf"`, if requests arrive with it. Default: none. */
  readonly basePath?: string;
  /** Limits for requests and for each user. */
  readonly limits?: ServerLimits;
  /** How long `close` waits for running turns before it hands them over, in ms. Default 10,000. */
  readonly shutdownMs?: number;
  /**
   * Receives errors of the server, and a `TurnFailedError` for each turn and each tool that failed. The server's own texts hold no
   * conversation content; what your code and a model provider threw is the `cause`. Default: `console.error`.
   */
  readonly onError?: (error: unknown, request?: { readonly requestId: string }) => void;
  /** Timing of turns and of the turn log. */
  readonly turns?: TurnTiming;
}

/** The validated options of the app, with defaults. */
export type ServerSettings = z.output<typeof settingsSchema>;

const atLeastOne = z.number().min(1);

const settingsSchema = z.object({
  authenticate: z.custom<unknown>((value) => typeof value === "function").optional(),
  context: z.custom<unknown>((value) => typeof value === "function").optional(),
  onError: z.custom<unknown>((value) => typeof value === "function").optional(),
  defaultAgent: z.string().optional(),
  titleOf: z.custom<(text: string) => string | undefined>((value) => typeof value === "function").optional(),
  cors: z
    .union([z.boolean(), z.object({ origins: z.array(z.url({ protocol: /^https?$/ })) })])
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

/** Validates the options. Throws a `TypeError` that names the invalid field. */
export const parseSettings = (options: unknown): ServerSettings =>
  parseOptions(settingsSchema, options, "server options");
