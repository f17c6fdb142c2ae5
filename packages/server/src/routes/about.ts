import { isClientTool } from "@jaf/core";
import * as z from "zod";
import { unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { anything, time } from "./schemas.ts";

export const readHealth = operation("get", "/health", {
  summary: "Check that the server is up",
  answer: z.object({ status: z.literal("ok") }),
});

export const readDocument = operation("get", "/openapi.json", {
  summary: "Get this document",
  file: anything,
});

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  runs: z.enum(["server", "client"]).describe("Where the tool runs."),
  approval: z.boolean().describe("Whether calls of the tool may wait for an approval."),
});

const listAgents = operation("get", "/agents", {
  summary: "List agents and their tools",
  answer: z.object({
    agents: z.array(z.object({ name: z.string(), tools: z.array(toolSchema) })),
    defaultAgent: z.string(),
  }),
});

const healthSchema = z.object({
  healthy: z.boolean(),
  latencyMs: z.number().describe("Latency in milliseconds."),
});

const readMemoryHealth = operation("get", "/memory/health", {
  summary: "Check the stores",
  answer: z.object({
    healthy: z.boolean(),
    store: healthSchema,
    turnLog: healthSchema,
    userMemory: healthSchema.optional(),
    runningTurns: z.int().describe("Number of turns that run in the responding process."),
  }),
});

const readMemoryStats = operation("get", "/memory/stats", {
  summary: "Get the user's storage statistics",
  answer: z.object({
    totalConversations: z.int(),
    totalMessages: z.int(),
    oldestConversation: time.optional(),
    newestConversation: time.optional(),
  }),
});

interface Health {
  readonly healthy: boolean;
  readonly latencyMs: number;
}

/** Adds the routes that list agents, check the stores, and return statistics. */
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

/** Runs the health check of a store and measures its duration in ms. A check that rejects counts as unhealthy. */
async function timed(check: () => Promise<boolean>): Promise<Health> {
  const start = performance.now();
  const healthy = await check().catch(() => false);
  return { healthy, latencyMs: Math.round(100 * (performance.now() - start)) / 100 };
}
