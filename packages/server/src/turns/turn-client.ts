import { createTurnClient, type TurnClient } from "@jaf/core/internal";
import { present } from "@jaf/memory/engine";
import type { TurnSettings } from "./options.ts";

/** By the names of their agents. */
export type TurnClients<Ctx> = ReadonlyMap<string, TurnClient<Ctx>>;

/** Throws a `TypeError` for what would fail in each turn. */
export function createTurnClients<Ctx>(settings: TurnSettings<Ctx>): TurnClients<Ctx> {
  const { agents, provider, config } = settings;
  const { agentRegistry, memory: _, userMemory: shared, ...run } = config;
  // To be checked. Each turn has its own.
  const userMemory = settings.userMemory?.({ onInjected: () => {} }) ?? shared;
  const clientConfig = {
    ...run,
    agents: new Map([...(agentRegistry ?? []), ...agents]),
    memory: memoryOf(settings),
    store: provider,
    ...present({ userMemory }),
  };
  return new Map([...agents].map(([name, agent]) => [name, createTurnClient(agent, clientConfig)]));
}

function memoryOf<Ctx>({ config, leaseSeconds }: TurnSettings<Ctx>) {
  const { provider: _, autoStore: __, userId: ___, ...memory } = config.memory;
  return {
    ...memory,
    ...(memory.durability === undefined && memory.storeOnCompletion === undefined
      ? ({ durability: "step" } as const)
      : {}),
    turnLeaseMs: turnLeaseMsOf({ config, leaseSeconds }),
    // The log says who has the turn.
    concurrency: "reject" as const,
  };
}

const turnLeaseMsOf = <Ctx>({
  config,
  leaseSeconds,
}: Pick<TurnSettings<Ctx>, "config" | "leaseSeconds">): number =>
  config.memory.turnLeaseMs ?? Math.max(1_000, leaseSeconds * 1_000);

/** How long a run that takes over waits for the lease of the one before, beyond that lease. */
const QUEUE_MARGIN_MS = 15_000;

/** Of a run that takes the place of one whose process may have left a lease: it waits for that to end. */
export const memoryOfTakeOver = <Ctx>(settings: TurnSettings<Ctx>) =>
  ({ concurrency: "queue", queueTimeoutMs: turnLeaseMsOf(settings) + QUEUE_MARGIN_MS }) as const;
