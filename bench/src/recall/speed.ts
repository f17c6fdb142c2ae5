import type { UserMemoryStore } from "@jaf/user-memory";
import { inParallel, type Lab } from "../lab.ts";
import { quantile } from "../statistics.ts";
import { madeUpFact, madeUpQuestion, seeded } from "./facts.ts";

/** Times in milliseconds. */
export interface Speed {
  readonly users: number;
  readonly factsPerUser: number;
  readonly recall: { readonly p50: number; readonly p95: number };
  readonly remember: { readonly p50: number; readonly p95: number };
}

interface Size {
  readonly users: number;
  readonly factsPerUser: number;
}

const WRITERS = 16;
const RECALLS = 1_000;
const WRITES = 200;
const WARM_UP = 100;

const userId = (index: number): string => `user ${index}`;

/** Fills a store, and times recalls and writes of users drawn at random, one after the other. */
export async function measureSpeed(
  lab: Lab,
  memory: UserMemoryStore,
  { users, factsPerUser }: Size,
): Promise<Speed> {
  let done = 0;
  await inParallel(Array(users).keys(), WRITERS, async (user) => {
    const random = seeded(user);
    for (let index = 0; index < factsPerUser; index++) {
      await memory.remember(userId(user), madeUpFact(index, random));
    }
    done++;
    if (users >= 10 && done % Math.ceil(users / 10) === 0) lab.progress(`${done} of ${users} users filled`);
  });
  const random = seeded(users + factsPerUser);
  const anyUser = () => userId(Math.floor(random() * users));
  const recall = await timed(RECALLS, () => memory.recall(anyUser(), madeUpQuestion(random)));
  let next = factsPerUser;
  const remember = await timed(WRITES, () => memory.remember(anyUser(), madeUpFact(next++, random)));
  return { users, factsPerUser, recall, remember };
}

async function timed(count: number, once: () => Promise<unknown>) {
  const times: number[] = [];
  for (let round = -WARM_UP; round < count; round++) {
    const start = performance.now();
    await once();
    if (round >= 0) times.push(performance.now() - start);
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}
