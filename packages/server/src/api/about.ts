import * as z from "zod";
import { operation } from "../http/operation.ts";
import { anything, time } from "./values.ts";

export const readHealth = operation("get", "/health", {
  summary: "Whether the server answers.",
  answer: z.object({ status: z.literal("ok") }),
});

export const readDocument = operation("get", "/openapi.json", { summary: "This document.", file: anything });

const tool = z.object({
  name: z.string(),
  description: z.string(),
  runs: z.enum(["server", "client"]).describe("Who runs it."),
  approval: z.boolean().describe("Whether calls may wait for an approval."),
});

export const listAgents = operation("get", "/agents", {
  summary: "The agents and their tools.",
  answer: z.object({
    agents: z.array(z.object({ name: z.string(), tools: z.array(tool) })),
    defaultAgent: z.string(),
  }),
});

const health = z.object({ healthy: z.boolean(), latencyMs: z.number().describe("In milliseconds.") });

export const readMemoryHealth = operation("get", "/memory/health", {
  summary: "How the stores are.",
  answer: z.object({
    healthy: z.boolean(),
    store: health,
    turnLog: health,
    userMemory: health.optional(),
    runningTurns: z.int().describe("In the process that answers."),
  }),
});

export const readMemoryStats = operation("get", "/memory/stats", {
  summary: "How much the user has stored.",
  answer: z.object({
    totalConversations: z.int(),
    totalMessages: z.int(),
    oldestConversation: time.optional(),
    newestConversation: time.optional(),
  }),
});
