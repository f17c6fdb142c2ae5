import * as z from "zod";

export const backendSchema = z.enum(["redis", "redis-cluster", "postgres"]);

export type Backend = z.infer<typeof backendSchema>;

/** Where processes find the store that they share. */
export const storePlaceSchema = z.object({
  backend: backendSchema,
  urls: z.array(z.string()),
  /** Key prefix or schema. */
  namespace: z.string(),
});

export type StorePlace = z.infer<typeof storePlaceSchema>;

/** Where in its part of a program a process goes on. */
const continuationSchema = z.object({ seed: z.number(), operation: z.number(), attempt: z.number() });

export type Continuation = z.infer<typeof continuationSchema>;

export const playSchema = z.object({
  kind: z.literal("play"),
  /** Of the programs, which are played at the same time. */
  seeds: z.array(z.number()),
  /** Whose operations. */
  worker: z.number(),
  /** What it tells goes there, a line each. */
  file: z.string(),
  leaseMs: z.number(),
  /** At which call it kills itself, counted over all programs from 1, and on which side of it. */
  kill: z.object({ at: z.number(), after: z.boolean() }).optional(),
  /** In place of the beginning. */
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
