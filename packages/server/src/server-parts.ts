import type { Agent } from "@jaf/core";
import { getUserMemory } from "@jaf/core/internal";
import type { Inbox, Ledger, Timers, TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { MessageSearch, UserMemoryStore } from "@jaf/user-memory";
import { createUserLimits, type UserLimits } from "./http/rate-limit.ts";
import { createTurnService } from "./jobs/create-turn-service.ts";
import type { TurnServiceOptions } from "./jobs/turn-options.ts";
import type { ServedAgents, ServerAppOptions, ServerRunConfig, ServerSettings } from "./options.ts";
import { factStoreOf, inMemoryLog, versionedProvider } from "./stores.ts";
import type { Identity, TurnService } from "./turns/turn-service.ts";

/** What the routes use: stores, turn service, agents, limits and settings. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly provider: VersionedMemoryProvider;
  readonly log: TurnLog;
  readonly service: TurnService;
  readonly userMemory: UserMemoryStore | undefined;
  readonly messageSearch: MessageSearch | undefined;
  readonly ledger: Ledger | undefined;
  readonly inbox: Inbox | undefined;
  readonly timers: Timers | undefined;
  /** Returns whether a user may read the sums of all users from the ledger. */
  readonly mayReadLedger: NonNullable<ServerAppOptions<unknown>["mayReadLedger"]>;
  /** The agents by name. */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own context and output
  readonly agents: ReadonlyMap<string, Agent<any, any>>;
  readonly defaultAgent: string;
  readonly limits: UserLimits;
  /** Aborted when the server closes, so that all event streams end. */
  readonly closing: AbortSignal;
  /** Passes an error of a request or of its response to the server option `onError`. */
  readonly report: (thrown: unknown, requestId: string) => void;
}

/** Creates the server's parts from its options. Throws a `TypeError` that names the invalid option. */
export function partsOf<Ctx>(
  given: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerAppOptions<Ctx>,
  {
    onError,
    ...own
  }: Pick<ServerParts, "settings" | "closing" | "report"> & { readonly onError: (error: unknown) => void },
): ServerParts {
  const agents = agentsOf(given);
  const [first] = agents.keys();
  const defaultAgent = options.defaultAgent ?? first;
  if (defaultAgent === undefined || !agents.has(defaultAgent))
    throw new TypeError("Invalid server options: defaultAgent: expected the name of one of the agents.");
  const provider = versionedProvider(options.defaultMemoryProvider ?? config.memory?.provider);
  const log = options.turnLog ?? inMemoryLog();
  const { context = (identity: Identity) => identity as unknown as Ctx } = options;
  const userMemory = config.userMemory ?? getUserMemory();
  const service = createTurnService<Ctx>({
    ...options.turns,
    ...present({ queue: options.queue, concurrency: options.concurrency, timers: options.timers }),
    turnsPerUser: own.settings.limits.turnsPerUser,
    ...{ log, agents: [...agents.values()], context, onError },
    config: {
      ...config,
      memory: { ...config.memory, autoStore: true, provider },
      ...present({ userMemory }),
    },
  } as TurnServiceOptions<Ctx>);
  const limits = createUserLimits(own.settings.limits);
  return {
    ...own,
    provider,
    log,
    service,
    userMemory: factStoreOf(userMemory),
    messageSearch: options.messageSearch,
    ledger: config.ledger?.store,
    inbox: config.memory?.inbox?.store,
    timers: options.timers,
    mayReadLedger: options.mayReadLedger ?? (() => false),
    agents,
    defaultAgent,
    limits,
  };
}

/** Returns the agents by the name that requests use. Throws a `TypeError` if two agents have the same name. */
function agentsOf<Ctx>(
  given: ServedAgents<Ctx>,
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
): ReadonlyMap<string, Agent<Ctx, any>> {
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  const list: readonly (readonly [string, Agent<Ctx, any>])[] =
    given instanceof Map
      ? [...given]
      : // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
        [...(given as readonly Agent<Ctx, any>[])].map((agent) => [agent.name, agent] as const);
  const agents = new Map(
    list.map(([name, agent]) => [name, agent.name === name ? agent : { ...agent, name }]),
  );
  if (agents.size < list.length)
    throw new TypeError("Invalid agents: expected a unique name for each agent.");
  return agents;
}
