import type { Agent, MemoryConfig, RunConfig, RunSettings } from "@jaf/core";
import type { Timers, TurnLog, TurnQueue, VersionedMemoryProvider } from "@jaf/memory";
import { callSafely, isVersionedProvider, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";

/** The run configuration that all turns of a service share. */
type TurnRunConfig<Ctx> = RunSettings<Ctx> & {
  /** More agents that handoffs can reach, by the name that a handoff uses. */
  readonly agentRegistry?: RunConfig<Ctx>["agentRegistry"];
  /** Settings of conversation memory. `durability` defaults to `"step"`. */
  readonly memory: MemoryConfig;
};

/** Time settings of turns and of the turn log. */
export interface TurnTiming {
  /**
   * How long pieces of a reply are gathered before they are stored together, in ms. Default 22, for two pieces of a
   * model that sends 50 pieces a second.
   */
  readonly gatherMs?: number;
  /** Duration of a turn's lease, in seconds. Another process takes over a turn whose lease has expired. Default 10. */
  readonly leaseSeconds?: number;
  /** How often a turn that stores no events renews its lease and checks for a stop request, in ms. Default 800. */
  readonly heartbeatMs?: number;
  /**
   * Interval between reads of the log for events of turns that run in other processes, in ms. Default 75. While no
   * reader follows a turn of another process, the log isn't read.
   */
  readonly pollMs?: number;
  /**
   * Average interval between searches in ms: for turns whose process is gone or that a queue has lost, for messages that
   * wait in inboxes, and for timers that are due. `false`: no searches; then another process must search. Default 3,000.
   */
  readonly recoverMs?: number | false;
  /** How long the events of a turn can be read after the turn's end, in seconds. Default 3,600. */
  readonly eventSeconds?: number;
  /**
   * How long the log keeps a turn's `TurnRecord` after the turn's end, in seconds. Must be at least `eventSeconds`.
   * Default 30 days.
   */
  readonly recordSeconds?: number;
  /**
   * How long the log keeps a turn that no process continues, in seconds. A turn that a process can't continue, e.g.
   * because a newer release began it, is left to other processes until it is as old as this. Default one day.
   */
  readonly keepSeconds?: number;
}

/** How turns are shared out between processes. */
export interface TurnSharing {
  /**
   * A queue that hands turns to worker processes, e.g. of `@jaf/queue-bullmq` or `@jaf/queue-pg-boss`. Default: the
   * process that starts a turn runs it, and others take it over if that process dies.
   */
  readonly queue?: TurnQueue;
  /**
   * With `queue`: how many turns of the queue this process runs at the same time. `0`: none, e.g. because workers are
   * processes of their own. Default 16.
   */
  readonly concurrency?: number;
  /**
   * How many turns of a user run at once, counting those that wait in the queue, before a message in the user's inboxes
   * waits for one of them to end. Default 10.
   */
  readonly turnsPerUser?: number;
}

export interface TurnServiceOptions<Ctx> extends TurnTiming, TurnSharing {
  readonly log: TurnLog;
  /** The agents. Requests name an agent by its `name`, so each name must be unique. */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents: readonly Agent<Ctx, any>[];
  readonly config: TurnRunConfig<Ctx>;
  /** Stores the timers of conversations. Needs `config.memory.inbox`. Default: no timers. */
  readonly timers?: Timers;
  /** Returns the context (`Ctx`) of a turn's run. Called again if another process takes over the turn. */
  readonly context: (identity: Identity) => Readonly<Ctx> | Promise<Readonly<Ctx>>;
  /**
   * Receives each `TurnFailedError`, and errors outside of turns, e.g. of the search for abandoned turns. Default:
   * errors are ignored.
   */
  readonly onError?: (error: unknown) => void;
}

/** The validated options of the turn service, with defaults filled in. */
export interface TurnSettings<Ctx> extends TurnTimes, z.output<typeof sharingSchema> {
  readonly log: TurnLog;
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents: ReadonlyMap<string, Agent<Ctx, any>>;
  readonly config: TurnRunConfig<Ctx>;
  readonly timers: Timers | undefined;
  readonly context: TurnServiceOptions<Ctx>["context"];
  readonly provider: VersionedMemoryProvider;
  readonly queue: TurnQueue | undefined;
  readonly onError: (error: unknown) => void;
}

type TurnTimes = z.output<typeof timesSchema>;

const milliseconds = z.number().min(1).max(3_600_000);
const seconds = z.int().min(1);

const times = z.object({
  gatherMs: z.number().min(0).max(10_000).default(22),
  leaseSeconds: z.number().min(1).max(3_600).default(10),
  heartbeatMs: milliseconds.default(800),
  pollMs: milliseconds.default(75),
  recoverMs: z.union([milliseconds, z.literal(false)]).default(3_000),
  eventSeconds: seconds.default(3_600),
  recordSeconds: seconds.default(30 * 86_400),
  keepSeconds: seconds.default(86_400),
});

/** The names of the time settings. */
export const TIMES: readonly string[] = Object.keys(times.shape);

const timesSchema = times.refine(({ eventSeconds, recordSeconds }) => recordSeconds >= eventSeconds, {
  path: ["recordSeconds"],
  error: "expected at least eventSeconds",
});

const sharingSchema = z.object({
  concurrency: z.int().min(0).default(16),
  turnsPerUser: z.number().min(1).or(z.literal(Number.POSITIVE_INFINITY)).default(10),
});

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const shapeSchema = z.object({
  log: z.custom<unknown>((value) => isObject(value) && "begin" in value, { error: "expected a TurnLog" }),
  agents: z
    .array(z.custom<unknown>((value) => isObject(value) && "name" in value, { error: "expected an agent" }))
    .min(1, { error: "expected at least one agent" }),
  config: z.looseObject({
    memory: z.looseObject({
      provider: z.custom<unknown>(
        (value) => isObject(value) && isVersionedProvider(value as VersionedMemoryProvider),
        { error: "expected a memory provider with readConversation()" },
      ),
    }),
  }),
  timers: z
    .custom<unknown>((value) => isObject(value) && "due" in value, { error: "expected a store of timers" })
    .optional(),
  context: z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" }),
  queue: z
    .custom<unknown>((value) => isObject(value) && "submit" in value && "work" in value, {
      error: "expected a TurnQueue",
    })
    .optional(),
});

/** Validates the options of the turn service. Throws a `TypeError` that names the invalid field. */
export function parseTurnOptions<Ctx>(options: TurnServiceOptions<Ctx>): TurnSettings<Ctx> {
  parseOptions(shapeSchema, options, "turn service options");
  const times = parseOptions(timesSchema, options, "turn service options");
  const sharing = parseOptions(sharingSchema, options, "turn service options");
  const { log, agents, config, timers, context, queue, onError = () => {} } = options;
  if (timers !== undefined && config.memory.inbox === undefined)
    throw new TypeError(
      "Invalid turn service options: timers: expected an inbox, too (memory.inbox of the configuration).",
    );
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  if (byName.size < agents.length) {
    throw new TypeError("Invalid turn service options: agents: expected a unique name for each agent.");
  }
  return {
    ...{ ...times, ...sharing, log, agents: byName, config, timers, context, queue },
    onError: (error) =>
      callSafely(
        () => onError(error),
        () => {},
      ),
    provider: config.memory.provider as VersionedMemoryProvider,
  };
}
