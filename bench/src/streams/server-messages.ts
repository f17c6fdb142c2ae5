import * as z from "zod";

export const serverSetupSchema = z.object({
  redisUrl: z.string(),
  /** The number of pieces of a reply. */
  pieces: z.int(),
  /** The model's pieces per second; absent: all immediately. */
  perSecond: z.number().optional(),
});
export type ServerSetup = z.infer<typeof serverSetupSchema>;

/** A server-sent event in Hono's format. */
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
