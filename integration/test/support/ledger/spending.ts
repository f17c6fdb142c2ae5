import type { LedgerScope } from "@jaf/memory";
import * as z from "zod";
import { placeSchema } from "./place.ts";

export const BUDGET = { of: "user", id: "spender", period: "day" } as const satisfies LedgerScope;

const callSchema = z.object({
  userId: z.string(),
  tenantId: z.string(),
  agentName: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  cost: z.number(),
});

/** What a spending process does, as JSON in its first argument. */
export const taskSchema = z.object({
  place: placeSchema,
  /** The budget of the user, as a cost. */
  limit: z.number(),
  /** The entry of each call. */
  call: callSchema,
  /** How long a call takes on average. */
  callMs: z.number(),
});

export type SpendingTask = z.infer<typeof taskSchema>;

export const fromSpenderSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("done"), calls: z.number() }),
]);

export type FromSpender = z.infer<typeof fromSpenderSchema>;
