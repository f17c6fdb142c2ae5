import type { MemoryProvider, Message } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisProvider } from "@jaf/memory-redis";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { type Account, converse } from "../edge/program.ts";

export interface Consumption {
  readonly conversation: Account;
  readonly facts: readonly unknown[];
  readonly stores: Readonly<Record<string, Kept>>;
}

/** What a store on a server returned. */
interface Kept {
  readonly messages: readonly unknown[];
  readonly facts: readonly unknown[];
}

export interface Servers {
  readonly redisUrl: string;
  readonly pgUrl: string;
  /** The schema of Postgres and the key prefix of Redis. */
  readonly namespace: string;
}

const question: Message = { role: "user", content: "Wie heißt du? 🌞" };
const answer: Message = { role: "assistant", content: "Jaf." };

async function keep(provider: MemoryProvider): Promise<readonly unknown[]> {
  const id = "consumer";
  const stored = await provider.appendMessages(id, [question], { userId: "ada" }, { createIfMissing: true });
  if (!stored.success) throw stored.error;
  const again = await provider.appendMessages(id, [answer], {}, { idempotencyKey: "once" });
  if (!again.success) throw again.error;
  const read = await provider.getConversation(id);
  if (!read.success) throw read.error;
  await provider.close();
  return read.data?.messages.map(({ role, content }) => [role, content]) ?? [];
}

async function remember(memory: UserMemoryStore): Promise<readonly unknown[]> {
  await memory.remember("ada", "Lives in Rome", { key: "home-city" });
  await memory.remember("ada", "Lives in Oslo", { key: "home-city" });
  await memory.remember("ada", "Likes green tea");
  const facts = await memory.recall("ada", "Where does the user live?");
  await memory.close();
  return facts.slice(0, 1).map(({ fact, trust }) => [fact, trust]);
}

/** An application of the packages: a conversation in memory with a tool and an approval, facts, and stores on servers. */
export async function consume({ redisUrl, pgUrl, namespace }: Servers): Promise<Consumption> {
  const redis = { url: redisUrl, keyPrefix: `${namespace}:` };
  const postgres = { connectionString: pgUrl, schema: namespace };
  return {
    conversation: await converse(),
    facts: await remember(new MemoryUserMemory()),
    stores: {
      redis: {
        messages: await keep(await createRedisProvider(redis)),
        facts: await remember(await createRedisUserMemory(redis)),
      },
      postgres: {
        messages: await keep(await createPostgresProvider(postgres)),
        facts: await remember(await createPostgresUserMemory(postgres)),
      },
    },
  };
}
