import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";

/** Facts of one user. */
export interface FactStore {
  readonly remember: (fact: string) => Promise<void>;
  /** Finds the ten best facts. */
  readonly recall: (query: string) => Promise<void>;
}

/** A server with user memory and with what an application would otherwise use, each empty. */
export interface FactServer {
  readonly name: string;
  readonly jaf: FactStore;
  readonly plain: FactStore;
  /** Runs `fill` without waiting for the disk. */
  readonly filling: (fill: () => Promise<void>) => Promise<void>;
  /** Collects the statistics of the database. Absent: there are none. */
  readonly analyze?: () => Promise<void>;
}

const USER = "user";
const LIMIT = 10;
const LIMITS = { maxFacts: 20_000 };

function jafStore(memory: UserMemoryStore): FactStore {
  let count = 0;
  return {
    remember: async (fact) => {
      const at = count++;
      const provenance = { conversationId: `conversation-${Math.floor(at / 40)}`, position: at % 40 };
      await memory.remember(USER, fact, { provenance });
    },
    recall: async (query) => void (await memory.recall(USER, query, { limit: LIMIT })),
  };
}

const PLAIN_TABLE = `CREATE TABLE plain_facts (user_id text NOT NULL, id bigserial PRIMARY KEY, fact text NOT NULL,
  words tsvector GENERATED ALWAYS AS (to_tsvector('english', fact)) STORED);
  CREATE INDEX ON plain_facts USING gin (words);`;

/** Postgres with full text in place of user memory: the words of a query joined by "or", ranked by `ts_rank`. */
export async function startPostgresFacts(lab: Lab): Promise<FactServer> {
  const url = await startPostgresServer(lab);
  const admin = openPool(lab, url, 1);
  const configure = async (setting: string) => {
    await admin.query(`ALTER SYSTEM SET ${setting}`);
    await admin.query("SELECT pg_reload_conf()");
  };
  // Statistics are only collected by `analyze`.
  await configure("autovacuum = off");
  await admin.query(PLAIN_TABLE);
  const pool = openPool(lab, url, 4);
  const memory = await createPostgresUserMemory({ pgvector: "off", limits: LIMITS }, openPool(lab, url, 4));
  return {
    name: "Postgres",
    jaf: jafStore(memory),
    plain: {
      remember: async (fact) => {
        const text = "INSERT INTO plain_facts (user_id, fact) VALUES ($1, $2)";
        await pool.query({ name: "remember", text, values: [USER, fact] });
      },
      recall: async (query) => {
        const text = `SELECT id, fact FROM plain_facts,
          (SELECT replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery AS query) AS asked
          WHERE user_id = $1 AND words @@ query ORDER BY ts_rank(words, query) DESC LIMIT ${LIMIT}`;
        await pool.query({ name: "recall", text, values: [USER, query] });
      },
    },
    filling: async (fill) => {
      await configure("synchronous_commit = off");
      await fill();
      await configure("synchronous_commit = on");
    },
    analyze: async () => void (await admin.query("VACUUM ANALYZE")),
  };
}

const wordsOf = (text: string): readonly string[] => [
  ...new Set(text.split(" ").filter((word) => word !== "and" && word !== "the")),
];

/** Redis with a sorted set for each word in place of user memory: facts are ranked by the number of shared words. */
export async function startRedisFacts(lab: Lab): Promise<FactServer> {
  const url = await startRedisServer(lab);
  const client = await connectRedis(lab, url);
  const memory = await createRedisUserMemory({ limits: LIMITS }, await connectRedis(lab, url));
  let count = 0;
  return {
    name: "Redis",
    jaf: jafStore(memory),
    plain: {
      remember: async (fact) => {
        const id = String(++count);
        const write = client.multi().hSet("plain:facts", id, fact);
        for (const word of wordsOf(fact)) write.zAdd(`plain:word:${word}`, { score: 1, value: id });
        await write.exec();
      },
      recall: async (query) => {
        const [first = "", ...others] = wordsOf(query).map((word) => `plain:word:${word}`);
        const [, ids] = await client
          .multi()
          .zUnionStore("plain:found", [first, ...others])
          .zRange("plain:found", 0, LIMIT - 1, { REV: true })
          .exec();
        if (Array.isArray(ids) && ids.length > 0) await client.hmGet("plain:facts", ids.map(String));
      },
    },
    filling: (fill) => fill(),
  };
}
