import { withRetry } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import * as z from "zod";

/** The store that the processes of a test share. */
export const placeSchema = z.object({
  backend: z.enum(["redis", "postgres"]),
  url: z.string(),
  namespace: z.string(),
});

export type Place = z.infer<typeof placeSchema>;

export const openPlace = async ({ backend, url, namespace }: Place) =>
  withRetry(
    backend === "redis"
      ? await createRedisProvider({ url, keyPrefix: `${namespace}:` })
      : await createPostgresProvider({ connectionString: url, schema: namespace, maxConnections: 4 }),
  );

/** What a process is asked to do, and with which text. */
export const taskSchema = z.object({
  id: z.number(),
  name: z.enum(["ask", "interrupt", "resume", "lateAsk", "addItems", "appendEntries", "loadEntries"]),
  text: z.string(),
});

export type TaskName = z.infer<typeof taskSchema>["name"];

export const answerSchema = z.object({ id: z.number(), answer: z.string() });
