import { inParallel, type Lab } from "../lab.ts";
import { quantile } from "../statistics.ts";
import { type FactSource, madeUpMemory, madeUpQuestion, seeded } from "./facts.ts";
import type { OpenStore } from "./stores.ts";

/** Times in milliseconds. */
export interface Speed extends SpeedSetting {
  readonly recall: { readonly p50: number; readonly p95: number };
  readonly remember: { readonly p50: number; readonly p95: number };
  /** Of the shortest query that the store's server answers, in the same run. */
  readonly raw?: { readonly p50: number; readonly p95: number } | undefined;
}

export interface SpeedSetting {
  readonly users: number;
  readonly factsPerUser: number;
  readonly source: FactSource;
}

const WRITERS = 16;
/** So many users are filled fact by fact where the others can be copied. */
const ORIGINALS = 10;
const CLONERS = 2;
const RECALLS = 1_000;
const WRITES = 200;
const WARM_UP = 100;

const userId = (index: number): string => `user ${index}`;

/** Fills a store, and times recalls and writes of users drawn at random, one after the other. */
export async function measureSpeed(lab: Lab, store: OpenStore, setting: SpeedSetting): Promise<Speed> {
  const { memory } = store;
  const { users, factsPerUser, source } = setting;
  await fill(lab, store, setting);
  await store.tidy?.();
  const random = seeded(users + factsPerUser);
  const anyUser = () => userId(Math.floor(random() * users));
  const recall = await timed(RECALLS, () => memory.recall(anyUser(), madeUpQuestion(random)));
  const raw = store.rawQuery === undefined ? undefined : await timed(RECALLS, store.rawQuery);
  let next = factsPerUser;
  const remember = await timed(WRITES, () =>
    memory.remember(anyUser(), ...madeUpMemory(source, next++, random)),
  );
  return { ...setting, recall, remember, raw };
}

async function fill(
  lab: Lab,
  { memory, clone }: OpenStore,
  { users, factsPerUser, source }: SpeedSetting,
): Promise<void> {
  const originals = clone === undefined ? users : Math.min(users, ORIGINALS);
  await inParallel(Array(originals).keys(), WRITERS, async (user) => {
    const random = seeded(user);
    for (let index = 0; index < factsPerUser; index++) {
      await memory.remember(userId(user), ...madeUpMemory(source, index, random));
    }
  });
  const others = Array.from({ length: users - originals }, (_, at) => originals + at);
  let done = 0;
  await inParallel(others, CLONERS, async (user) => {
    await clone?.(userId(user % originals), userId(user));
    done++;
    if (done % 100 === 0) lab.progress(`${done} of ${others.length} users copied`);
  });
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
