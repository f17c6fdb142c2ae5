import * as z from "zod";

/** The task of a worker process. Each load has its own namespace. */
export const turnLoadSchema = z.object({
  backend: z.enum(["redis", "postgres"]),
  url: z.string(),
  /** The key prefix or schema. */
  namespace: z.string(),
  /** The number of the process, from 0. */
  process: z.number(),
  conversations: z.number(),
  /** The number of turns per conversation in this process. */
  turns: z.number(),
  /** How many turns of a conversation the process runs at the same time. */
  lanes: z.number(),
  /**
   * How many turns of a conversation the process takes before it leaves the conversation to the next process and continues
   * with the previous process's. Absent: it takes all conversations at the same time and leaves none.
   */
  burst: z.number().optional(),
  /** The number of processes. */
  processes: z.number(),
  /** The number of messages that the model sees. Absent: all. */
  window: z.number().optional(),
  /** The longest duration of a model call, in milliseconds. */
  modelMs: z.number(),
  /** Whether durabilities differ between conversations, or between the turns of each. */
  mixedBy: z.enum(["conversation", "turn"]),
  concurrency: z.enum(["queue", "reject"]),
  leaseMs: z.number(),
});

export type TurnLoad = z.infer<typeof turnLoadSchema>;

export const toWorkerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), load: turnLoadSchema }),
  z.object({ kind: z.literal("go") }),
]);

export type ToWorker = z.infer<typeof toWorkerSchema>;

const endedTurnSchema = z.object({
  kind: z.literal("turn"),
  conversation: z.number(),
  number: z.number(),
  /** `"completed"`, or the tags of its error. */
  outcome: z.string(),
  /** From the start of its first run to the end of its last, in milliseconds. */
  totalMs: z.number(),
  /** The time until its first model call. */
  waitedMs: z.number(),
  /** The number of runs that were refused because another had the turn, and were repeated. */
  refused: z.number(),
});

export type EndedTurn = z.infer<typeof endedTurnSchema>;

const callsSchema = z.object({ reads: z.number(), headReads: z.number(), writes: z.number() });

/** The number of calls to the store. */
export type StoreCalls = z.infer<typeof callsSchema>;

export const fromWorkerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("opened") }),
  endedTurnSchema,
  z.object({ kind: z.literal("done"), calls: callsSchema }),
]);

export type FromWorker = z.infer<typeof fromWorkerSchema>;
