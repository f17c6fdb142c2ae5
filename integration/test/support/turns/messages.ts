import * as z from "zod";

/** What a worker process is told to do; a load has its namespace to itself. */
export const turnLoadSchema = z.object({
  backend: z.enum(["redis", "postgres"]),
  url: z.string(),
  /** Key prefix or schema. */
  namespace: z.string(),
  /** Which of the processes this is, from 0. */
  process: z.number(),
  conversations: z.number(),
  /** Of each conversation, in this process. */
  turns: z.number(),
  /** How many turns of a conversation the process has under way at the same time. */
  lanes: z.number(),
  /**
   * How many turns of a conversation the process takes one after the other before it leaves it to the next process, and goes
   * on with those of the one before. Absent: all conversations at once, and none is left.
   */
  burst: z.number().optional(),
  /** How many processes there are. */
  processes: z.number(),
  /** How many messages the model sees. Absent: all. */
  window: z.number().optional(),
  /** Each model call takes up to this many milliseconds. */
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
  /** `"completed"`, or the tags of what it failed with. */
  outcome: z.string(),
  /** From the start of its first run to the end of its last, in milliseconds. */
  totalMs: z.number(),
  /** Until its model was first asked. */
  waitedMs: z.number(),
  /** Runs that were refused because another had the turn, and were made again. */
  refused: z.number(),
});

export type EndedTurn = z.infer<typeof endedTurnSchema>;

const callsSchema = z.object({ reads: z.number(), headReads: z.number(), writes: z.number() });

/** How often the store was called. */
export type StoreCalls = z.infer<typeof callsSchema>;

export const fromWorkerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("opened") }),
  endedTurnSchema,
  z.object({ kind: z.literal("done"), calls: callsSchema }),
]);

export type FromWorker = z.infer<typeof fromWorkerSchema>;
