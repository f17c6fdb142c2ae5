import * as z from "zod";

export const backendSchema = z.enum(["redis", "redis-cluster", "postgres"]);

export type Backend = z.infer<typeof backendSchema>;

/** The address of the store that the processes share. */
export const storePlaceSchema = z.object({
  backend: backendSchema,
  urls: z.array(z.string()),
  /** The key prefix or schema. */
  namespace: z.string(),
});

export type StorePlace = z.infer<typeof storePlaceSchema>;

/** Where a process continues in its part of a program. */
const continuationSchema = z.object({ seed: z.number(), operation: z.number(), attempt: z.number() });

export type Continuation = z.infer<typeof continuationSchema>;

export const playSchema = z.object({
  kind: z.literal("play"),
  /** The seeds of the programs, which are played at the same time. */
  seeds: z.array(z.number()),
  /** The worker whose operations it runs. */
  worker: z.number(),
  /** The file for its events, one per line. */
  file: z.string(),
  leaseMs: z.number(),
  /** The call at which it kills itself, counted from 1 over all programs, and whether before or after the call. */
  kill: z.object({ at: z.number(), after: z.boolean() }).optional(),
  /** Default: at the beginning. */
  from: z.array(continuationSchema),
});

export type Play = z.infer<typeof playSchema>;

export const toWorkerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), place: storePlaceSchema }),
  playSchema,
]);

export type ToWorker = z.infer<typeof toWorkerSchema>;

export const fromWorkerSchema = z.object({ kind: z.enum(["opened", "done"]) });

export type FromWorker = z.infer<typeof fromWorkerSchema>;
