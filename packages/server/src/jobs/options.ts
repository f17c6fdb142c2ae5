import type { Agent, MemoryConfig, RunConfig, RunSettings, RunUserMemory } from "@jaf/core";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { callSafely, isVersionedProvider, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";

/** What a run's configuration says for all turns. */
type TurnRunConfig<Ctx> = RunSettings<Ctx> & {
  /** More agents to which a conversation may be handed, by their keys. */
  readonly agentRegistry?: RunConfig<Ctx>["agentRegistry"];
  /** `durability` defaults to `"step"`: only then a turn goes on after a crash without running a tool twice. */
  readonly memory: MemoryConfig;
};

export interface TurnServiceOptions<Ctx> {
  readonly log: TurnLog;
  /** Turns name them by their names. */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents: readonly Agent<Ctx, any>[];
  readonly config: TurnRunConfig<Ctx>;
  /** The context of a turn's run. Called again where a turn goes on in another process. */
  readonly context: (identity: Identity) => Readonly<Ctx> | Promise<Readonly<Ctx>>;
  /**
   * The user memory of one turn, in place of `config.userMemory`: call `onInjected` with the facts that a prompt gets, e.g.
   * `({ onInjected }) => asUserMemory(store, { inject: { onInjected } })`. The record of the turn then names them.
   */
  readonly userMemory?: (turn: UserMemoryObserver) => RunUserMemory;
  /**
   * How long pieces of a reply are gathered before they are stored, in milliseconds. Where more than 150 turns run in the process it
   * grows with their number, to three times as long. Default 40.
   */
  readonly gatherMs?: number;
  /** How long another process waits for this one before it takes over a turn, in seconds. Default 10. */
  readonly leaseSeconds?: number;
  /** How often a turn in which nothing is said asks whether it should stop, in milliseconds. Default 800. */
  readonly heartbeatMs?: number;
  /** How often the log is asked for events of turns of other processes, while they have readers, in milliseconds. Default 75. */
  readonly pollMs?: number;
  /** How often turns are looked for whose process is gone, in milliseconds; `false`: never. Default 3,000. */
  readonly recoverMs?: number | false;
  /** How long the events of an ended turn can be read, in seconds. Default 3,600. */
  readonly eventSeconds?: number;
  /** How long what the model saw in a turn is kept, in seconds. At least `eventSeconds`. Default 30 days. */
  readonly recordSeconds?: number;
  /** How long a turn that nobody goes on with is kept, in seconds. Default one day. */
  readonly keepSeconds?: number;
  /** Told what failed beside the turns, e.g. the look for abandoned ones. Holds no content. Default: nobody. */
  readonly onError?: (error: unknown) => void;
}

interface UserMemoryObserver {
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
}

/** The options, parsed, with their defaults. */
export interface TurnSettings<Ctx> extends TurnTimes {
  readonly log: TurnLog;
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents: ReadonlyMap<string, Agent<Ctx, any>>;
  readonly config: TurnRunConfig<Ctx>;
  readonly context: TurnServiceOptions<Ctx>["context"];
  readonly userMemory: TurnServiceOptions<Ctx>["userMemory"];
  readonly provider: VersionedMemoryProvider;
  readonly onError: (error: unknown) => void;
}

type TurnTimes = z.output<typeof timesSchema>;

const milliseconds = z.number().min(1).max(3_600_000);
const seconds = z.int().min(1);

const timesSchema = z
  .object({
    gatherMs: z.number().min(0).max(10_000).default(40),
    leaseSeconds: z.number().min(1).max(3_600).default(10),
    heartbeatMs: milliseconds.default(800),
    pollMs: milliseconds.default(75),
    recoverMs: z.union([milliseconds, z.literal(false)]).default(3_000),
    eventSeconds: seconds.default(3_600),
    recordSeconds: seconds.default(30 * 86_400),
    keepSeconds: seconds.default(86_400),
  })
  .refine(({ eventSeconds, recordSeconds }) => recordSeconds >= eventSeconds, {
    path: ["recordSeconds"],
    error: "expected at least eventSeconds",
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
  context: z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" }),
});

/** Throws a `TypeError` that names the field. */
export function parseTurnOptions<Ctx>(options: TurnServiceOptions<Ctx>): TurnSettings<Ctx> {
  parseOptions(shapeSchema, options, "turn service options");
  const times = parseOptions(timesSchema, options, "turn service options");
  const { log, agents, config, context, userMemory, onError = () => {} } = options;
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  if (byName.size < agents.length) {
    throw new TypeError("Invalid turn service options: agents: expected a name of its own for each agent.");
  }
  return {
    ...{ ...times, log, agents: byName, config, context, userMemory },
    onError: (error) =>
      callSafely(
        () => onError(error),
        () => {},
      ),
    provider: config.memory.provider as VersionedMemoryProvider,
  };
}
