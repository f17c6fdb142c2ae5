import type { Agent, MemoryConfig, RunSettings } from "@jaf/core";
import type { MemoryProvider, TurnLog } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import type { UserMemoryStore } from "@jaf/user-memory";
import * as z from "zod";
import type { Identity } from "./turns/turn-service.ts";

/** The agents that a server has: a list, by their names, or a map. */
export type ServedAgents<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly Agent<Ctx, any>[] | ReadonlyMap<string, Agent<Ctx, any>>;

/** What every run of the server has. The server decides what belongs to one turn: conversation, user, approvals, signal. */
export type ServerRunConfig<Ctx> = RunSettings<Ctx> & {
  /** `provider` may be absent where `defaultMemoryProvider` is given. `durability` defaults to `"step"`. */
  readonly memory?: Omit<MemoryConfig, "provider"> & { readonly provider?: MemoryProvider };
};

export interface ServerLimits {
  /** The largest body, in bytes. Default 1,000,000. */
  readonly bodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds. Default 10,000. */
  readonly bodyTimeoutMs?: number;
  /** How many requests a user may send in a minute, to this process. Default 600. */
  readonly requestsPerMinute?: number;
  /** How many turns of a user may run in this process at once. Default 10. */
  readonly turnsPerUser?: number;
  /** How many streams a user may have open at this process. Default 50. */
  readonly streamsPerUser?: number;
}

export interface ServerAppOptions<Ctx> {
  /** Where conversations are stored. Default: `memory.provider` of the run configuration. One of both is needed. */
  readonly defaultMemoryProvider?: MemoryProvider;
  /**
   * Where turns are logged. Default: in this process, so that a turn ends with it and no other process sees it; a warning says so.
   * Use that of the adapter, e.g. `createRedisTurnLog(client)`.
   */
  readonly turnLog?: TurnLog;
  /** The facts about users, which the routes `/facts` show and agents that say `remembers` know. Default: none. */
  readonly userMemory?: UserMemoryStore;
  /**
   * Who sends the request; `null`: nobody, who is refused. What it throws is an error of the server. Without it everybody is the user
   * `"local"`, and the server answers on loopback alone.
   */
  readonly authenticate?: (request: Request) => Identity | null | Promise<Identity | null>;
  /** The context of a run. Called again where a turn goes on in another process. Default: the identity. */
  readonly context?: (identity: Identity) => Readonly<Ctx> | Promise<Readonly<Ctx>>;
  /** The agent of a request that names none. Default: the first. */
  readonly defaultAgent?: string;
  /**
   * The title of a new conversation, from the text of its first message, which isn't empty; `undefined`: none. Default: its first 80
   * characters, in one line. A title is shown in lists, so it is the place to leave out what shouldn't be.
   */
  readonly titleOf?: (text: string) => string | undefined;
  /**
   * Which other origins a browser may use the server from, e.g. `["https://app.example.org"]`; `true`: all, without cookies. Default
   * `false`: none.
   */
  readonly cors?: boolean | { readonly origins: readonly string[] };
  /**
   * The host names, with a port unless it is the scheme's own, by which the server may be called without `authenticate`. Default:
   * `localhost`, `127.0.0.1` and `[::1]` with any port. It guards against pages whose name is made to point here.
   */
  readonly allowedHosts?: readonly string[];
  readonly limits?: ServerLimits;
  /** How long `close` waits for running turns before it hands them over, in milliseconds. Default 10,000. */
  readonly shutdownMs?: number;
  /** Told what failed in the server. Errors hold no conversation content. Default: `console.error`. */
  readonly onError?: (error: unknown, request?: { readonly requestId: string }) => void;
  /** Times of turns and their log; see `TurnServiceOptions`. */
  readonly turns?: {
    readonly gatherMs?: number;
    readonly leaseSeconds?: number;
    readonly heartbeatMs?: number;
    readonly pollMs?: number;
    readonly recoverMs?: number | false;
    readonly eventSeconds?: number;
    readonly recordSeconds?: number;
    readonly keepSeconds?: number;
  };
}

/** The options of the app that have a value of their own, checked, with their defaults. */
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

/** Throws a `TypeError` that names the field. */
export const parseSettings = (options: unknown): ServerSettings =>
  parseOptions(settingsSchema, options, "server options");
