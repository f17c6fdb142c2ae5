import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { quantile } from "../statistics.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";
import type { Chat } from "./chats.ts";
import { type Answer, type Marks, marksOf } from "./marks.ts";
import { askMemory, limits, type SetRow } from "./sets.ts";

export const memoryKinds = ["in-memory", "redis", "postgres"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** Opens an empty store, with its own server if it needs one. */
export async function openStore(lab: Lab, kind: MemoryKind): Promise<UserMemoryStore> {
  const store = await open(lab, kind);
  lab.onEnd(() => store.close());
  return store;
}

async function open(lab: Lab, kind: MemoryKind): Promise<UserMemoryStore> {
  if (kind === "in-memory") return new MemoryUserMemory({ limits });
  if (kind === "redis") {
    return createRedisUserMemory({ limits }, await connectRedis(lab, await startRedisServer(lab)));
  }
  return createPostgresUserMemory({ limits }, openPool(lab, await startPostgresServer(lab), 10));
}

export interface Quality extends Marks {
  /** The time of a recall of ten facts, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

/** Remembers every conversation for a separate user, asks its questions, and finds the ranks of their evidence. */
export async function measureQuality(
  memory: UserMemoryStore,
  chats: readonly Chat[],
  { name, itemsOf }: Required<Pick<SetRow, "name" | "itemsOf">>,
): Promise<Quality> {
  const answers: Answer[] = [];
  const times: number[] = [];
  for (const chat of chats) {
    const userId = `${chat.id} ${name}`;
    answers.push(...(await askMemory(memory, { ...chat, id: userId }, itemsOf)));
    for (const { text } of chat.questions) {
      const start = performance.now();
      await memory.recall(userId, text, { limit: 10 });
      times.push(performance.now() - start);
    }
  }
  return { ...marksOf(answers), p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}
