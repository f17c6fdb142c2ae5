import * as z from "zod";
import { operation } from "../http/operation.ts";
import { anything, count, id, interruption, number, time, turnState } from "./values.ts";

export const stopping = z.object({ stopping: z.boolean() });

export const stopTurn = operation("post", "/conversations/{conversationId}/stop", {
  summary: "Asks a turn to stop. What was said is kept.",
  body: z.strictObject({ turnId: id.optional() }),
  isBodyOptional: true,
  answer: stopping,
});

export const readEvents = operation("get", "/conversations/{conversationId}/events", {
  summary: "The events of a turn, from any number on.",
  query: z.object({
    turnId: id.optional(),
    from: number.optional(),
    limit: count(1_000).default(1_000),
  }),
  answer: z.object({
    turnId: z.string(),
    state: turnState,
    events: z.array(z.object({ number: z.int(), event: z.looseObject({ type: z.string() }) })),
  }),
  streams: "asked",
  nothing: "The turn has ended, and there are no events from that number on.",
});

export const listTurns = operation("get", "/conversations/{conversationId}/turns", {
  summary: "What the model saw in each turn.",
  query: z.object({ limit: count(100).default(20) }),
  answer: z.object({
    turns: z.array(
      z.object({ turnId: z.string(), state: turnState, startedAt: time, record: anything.optional() }),
    ),
  }),
});

export const listApprovals = operation("get", "/approvals/pending", {
  summary: "The calls that wait for the user.",
  answer: z.object({
    approvals: z.array(
      z.object({
        conversationId: z.string(),
        title: z.string().nullable(),
        turnId: z.string(),
        interruption,
      }),
    ),
  }),
});

export const streamApprovals = operation("get", "/approvals/stream", {
  summary: "The same, whenever it changes, as a stream.",
  streams: "always",
});
