import * as z from "zod";

export const serverSetupSchema = z.object({
  redisUrl: z.string(),
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
  | { readonly type: "cpu" }
  | { readonly type: "memory" };

/** The processor time of the server so far, in user and system mode. */
export const cpuSchema = z.object({ cpuMs: z.number() });
/** The heap and the buffers outside of it, after a collection of garbage. */
export const memorySchema = z.object({ heapBytes: z.number() });

/** The body of a request for a reply of this many pieces. */
export const requestFor = (pieces: number): string =>
  JSON.stringify({ message: String(pieces), stream: true });

/** The part of a request's body that the compared routes read. */
export const requestSchema = z.object({ message: z.string() });
