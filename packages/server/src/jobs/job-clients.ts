import type { Durability } from "@jaf/core";
import { createJobClient } from "@jaf/core/internal";
import type { JobClients } from "./job.ts";
import type { TurnSettings } from "./turn-options.ts";

/** Creates an agent client for each agent. Throws a `TypeError` if a setting is invalid. */
export function createJobClients<Ctx>(settings: TurnSettings<Ctx>): JobClients<Ctx> {
  const { agents, provider, config } = settings;
  const { agentRegistry, memory: _, ...run } = config;
  const clientConfig = {
    ...run,
    agents: new Map([...(agentRegistry ?? []), ...agents]),
    memory: memoryOf(settings),
    store: provider,
  };
  return new Map([...agents].map(([name, agent]) => [name, createJobClient(agent, clientConfig)]));
}

/** Returns when runs store their messages. Default `"step"`, unlike the engine's. */
export const durabilityOf = <Ctx>({ config: { memory } }: Pick<TurnSettings<Ctx>, "config">): Durability =>
  // With another durability, a turn that continues after a crash may repeat tools that had already finished.
  memory.durability ?? (memory.storeOnCompletion === true ? "completed" : "step");

function memoryOf<Ctx>({ config, leaseSeconds }: TurnSettings<Ctx>) {
  const { provider: _, autoStore: __, userId: ___, ...memory } = config.memory;
  return {
    ...memory,
    durability: durabilityOf({ config }),
    leaseMs: leaseMsOf({ config, leaseSeconds }),
    // The turn log decides which process has the turn's lease.
    concurrency: "reject" as const,
  };
}

const leaseMsOf = <Ctx>({
  config,
  leaseSeconds,
}: Pick<TurnSettings<Ctx>, "config" | "leaseSeconds">): number =>
  config.memory.leaseMs ?? Math.max(1_000, leaseSeconds * 1_000);

/** How much longer than a lease's duration a take-over waits for the lease of the conversation, in ms. */
const QUEUE_MARGIN_MS = 15_000;

/** Returns memory settings with which a run waits until the lease of the conversation expires. */
export const takeOverMemory = <Ctx>(settings: TurnSettings<Ctx>) =>
  ({ concurrency: "queue", queueTimeoutMs: leaseMsOf(settings) + QUEUE_MARGIN_MS }) as const;
