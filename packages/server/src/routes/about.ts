import { isClientTool } from "@jaf/core";
import { listAgents, readMemoryHealth, readMemoryStats } from "../api/about.ts";
import { unwrap } from "../http/failure.ts";
import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";

interface Health {
  readonly healthy: boolean;
  readonly latencyMs: number;
}

/** What the server has, and how it is. */
export function aboutRoutes(route: Route, parts: ServerParts): void {
  const { agents, defaultAgent, provider, log, userMemory, service } = parts;

  route(listAgents, () => ({
    agents: [...agents.values()].map(({ name, tools = [] }) => ({
      name,
      tools: tools.map((tool) => ({
        name: tool.schema.name,
        description: tool.schema.description,
        runs: isClientTool(tool) ? "client" : "server",
        approval: (tool.needsApproval ?? false) !== false,
      })),
    })),
    defaultAgent,
  }));

  route(readMemoryHealth, async ({ userId }) => {
    const [store, turns, facts] = await Promise.all([
      timed(async () => unwrap(await provider.healthCheck()).healthy),
      timed(async () => (await log.find({ userId, state: "running" }, 1)).success),
      userMemory && timed(async () => Array.isArray(await userMemory.list(userId, { limit: 1 }))),
    ]);
    const healthy = store.healthy && turns.healthy && facts?.healthy !== false;
    return { healthy, store, turnLog: turns, userMemory: facts, runningTurns: service.running() };
  });

  route(readMemoryStats, async ({ userId }) => unwrap(await provider.getStats(userId)));
}

/** Whether it works, and the time that took, in milliseconds. */
async function timed(check: () => Promise<boolean>): Promise<Health> {
  const start = performance.now();
  const healthy = await check().catch(() => false);
  return { healthy, latencyMs: Math.round(100 * (performance.now() - start)) / 100 };
}
