import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, type ModelProvider, runInbox } from "@jaf/core";
import type { Inbox, TurnLog, TurnQueue, VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresInbox, createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisInbox, createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createBullMQQueue } from "@jaf/queue-bullmq";
import { createPgBossQueue } from "@jaf/queue-pg-boss";
import { createServerApp } from "@jaf/server";
import { inParallel, type Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";

/** How many users there are, and how many messages each of them sends, each to a conversation of its own. */
export interface CrowdSize {
  /** Messages of the first user, who sends all of them before the others. */
  readonly ofFirst: number;
  readonly others: number;
  readonly ofEachOther: number;
}

export interface Waits {
  /** For each user, how long the model's call waited for each message after the workers began, in ms. */
  readonly byUser: ReadonlyMap<string, readonly number[]>;
  readonly seconds: number;
  /** The heap in use, after a tenth of the turns and after nine tenths, in bytes. */
  readonly heap: readonly [early: number, late: number];
}

export const FIRST = "first";
const MODEL_MS = 50;
const WORKERS = 2;
const CONCURRENCY = 16;
const SENDERS = 32;

interface Stores {
  readonly provider: VersionedMemoryProvider;
  readonly turnLog: TurnLog;
  readonly inbox: Inbox;
  readonly queue: TurnQueue;
}

async function openRedis(lab: Lab): Promise<Stores> {
  const url = await startRedisServer(lab);
  const client = await connectRedis(lab, url);
  return {
    provider: await createRedisProvider({ type: "redis" }, client),
    turnLog: createRedisTurnLog({}, client),
    inbox: createRedisInbox({}, client),
    queue: createBullMQQueue({ connection: url }),
  };
}

async function openPostgres(lab: Lab): Promise<Stores> {
  const pool = openPool(lab, await startPostgresServer(lab), 32);
  return {
    provider: await createPostgresProvider({ type: "postgres" }, pool),
    turnLog: await createPostgresTurnLog({}, pool),
    inbox: await createPostgresInbox({}, pool),
    queue: createPgBossQueue({ pool }),
  };
}

/** The names of all messages, in the order in which they are sent: user and number. */
function messagesOf({ ofFirst, others, ofEachOther }: CrowdSize): readonly string[] {
  const first = Array.from({ length: ofFirst }, (_, nth) => `${FIRST} ${nth}`);
  const rest = Array.from({ length: ofEachOther }, (_, nth) =>
    Array.from({ length: others }, (_, user) => `user-${user} ${nth}`),
  );
  return [...first, ...rest.flat()];
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Sends all messages while no worker runs, then starts workers, and measures how long each message waits for them. */
export async function measureWaits(
  lab: Lab,
  kind: StoreKind,
  { size, turnsPerUser }: { readonly size: CrowdSize; readonly turnsPerUser: number },
): Promise<Waits> {
  const { provider, turnLog, inbox, queue } = await (kind === "redis" ? openRedis(lab) : openPostgres(lab));
  const messages = messagesOf(size);
  const byUser = new Map<string, number[]>();
  let beganAt = 0;
  let replied = 0;
  let early = 0;
  const modelProvider: ModelProvider<unknown> = {
    getCompletion: async ({ messages: said }) => {
      const [user = ""] = String(said.at(-1)?.content).split(" ");
      const waits = byUser.get(user) ?? [];
      waits.push(performance.now() - beganAt);
      byUser.set(user, waits);
      await sleep(MODEL_MS);
      replied += 1;
      if (replied === Math.ceil(messages.length / 10)) early = heapBytes();
      return { message: { content: "Done." } };
    },
  };
  const agent: Agent<unknown, string> = { name: "clerk", instructions: "Be brief." };
  const open = async (concurrency: number) => {
    const app = await createServerApp(
      [agent],
      { modelProvider, memory: { inbox: runInbox(inbox) } },
      {
        ...{ defaultMemoryProvider: provider, turnLog, queue, concurrency },
        limits: { turnsPerUser },
        onError: (error) => lab.progress(String(error)),
      },
    );
    lab.onEnd(async () => void (await app.close()));
    return app.service;
  };
  lab.onEnd(async () => void (await queue.close()));
  const web = await open(0);
  lab.progress(`${kind}: sending ${messages.length} messages, ${turnsPerUser} turns per user`);
  await inParallel(messages, SENDERS, async (message) => {
    const [userId = ""] = message.split(" ");
    const conversationId = message;
    await provider.appendMessages(conversationId, [], { userId }, { createIfMissing: true });
    const sent = await web.send?.({
      ...{ identity: { userId }, conversationId, agentName: "clerk", message, key: "m" },
    });
    if (sent?.sent !== true) throw new Error(`"${message}" wasn't sent.`);
  });
  beganAt = performance.now();
  for (let nth = 0; nth < WORKERS; nth++) await open(CONCURRENCY);
  let late = 0;
  while (replied < messages.length) {
    await sleep(200);
    if (late === 0 && replied >= 0.9 * messages.length) late = heapBytes();
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  return { byUser, seconds, heap: [early, late] };
}
