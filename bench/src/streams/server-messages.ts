import * as z from "zod";

export const serverSetupSchema = z.object({
  redisUrl: z.string(),
  /** How many pieces a reply has. */
  pieces: z.int(),
  /** How many the model says in a second; absent: all at once. */
  perSecond: z.number().optional(),
});
export type ServerSetup = z.infer<typeof serverSetupSchema>;

/** A server-sent event as Hono takes it. */
export interface RawEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

export type ServerRequest =
  | { readonly type: "record"; readonly events: RawEvent[] }
  | { readonly type: "memory" };

export const readySchema = z.object({ url: z.string() });
export const memorySchema = z.object({ heapBytes: z.number(), cpuMs: z.number() });
