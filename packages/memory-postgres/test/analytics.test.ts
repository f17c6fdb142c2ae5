import type { Result } from "@jaf/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ConversationAnalytics, PostgresProvider } from "../src/index.ts";
import { createProvider } from "./support/provider.ts";
import { dropSchemas, freshSchema, runSql } from "./support/stores.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
let provider: PostgresProvider;

interface Stored {
  readonly userId: string;
  readonly messages: number;
  readonly lastActivity: Date;
  readonly expired: boolean;
}

const DAY_MS = 86_400_000;
const NOW = Date.now();

// A fixed sequence, so that a failure can be repeated.
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

function randomTime(random: (below: number) => number): number {
  const days = random(2) === 0 ? 60 : 800;
  return NOW - random(days * DAY_MS) - 1_000;
}

/** Some users have one conversation, some many. */
function randomConversations(seed: number): readonly Stored[] {
  const random = createRandom(seed);
  return Array.from({ length: 400 }, () => ({
    userId: `u${random(2) === 0 ? 0 : random(40)}`,
    messages: random(30),
    lastActivity: new Date(randomTime(random)),
    expired: random(8) === 0,
  }));
}

const conversations = randomConversations(42);

beforeAll(async () => {
  provider = await createProvider({ schema }, pool);
  const rows = conversations.map(
    ({ userId, messages, lastActivity, expired }, index) =>
      `('c${index}', '${userId}', '${lastActivity.toISOString()}', ${messages}, ${expired ? "now()" : index % 2 ? "'infinity'" : "NULL"})`,
  );
  await runSql(
    `INSERT INTO "${schema}".conversations (conversation_id, user_id, last_activity, total_messages, expires_at) VALUES ${rows}`,
  );
});

afterAll(async () => {
  await pool.end();
  await dropSchemas([schema]);
});

/** Of several, the smallest. */
function mostFrequent(values: readonly number[]): number {
  const counts = Array.from({ length: 24 }, (_, value) => values.filter((each) => each === value).length);
  return counts.indexOf(Math.max(...counts));
}

function expected(userId: string | undefined): ConversationAnalytics {
  const chosen = conversations.filter(
    (each) => !each.expired && (userId === undefined || each.userId === userId),
  );
  const since = (days: number) =>
    chosen.filter(({ lastActivity }) => lastActivity.getTime() > NOW - days * DAY_MS).length;
  const totalMessages = chosen.reduce((sum, { messages }) => sum + messages, 0);
  return {
    totalConversations: chosen.length,
    totalMessages,
    averageMessagesPerConversation: chosen.length === 0 ? 0 : totalMessages / chosen.length,
    conversationsLastWeek: since(7),
    conversationsLastMonth: since(30),
    ...(chosen.length === 0
      ? {}
      : {
          busiestHour: mostFrequent(chosen.map(({ lastActivity }) => lastActivity.getUTCHours())),
          busiestWeekday: mostFrequent(chosen.map(({ lastActivity }) => lastActivity.getUTCDay())),
        }),
  };
}

function unwrap<T>(result: Result<T>): T {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("getAnalytics", () => {
  it("counts what a count by hand does, over all and for each user", async () => {
    expect(unwrap(await provider.getAnalytics())).toEqual(expected(undefined));
    const users = Array.from({ length: 41 }, (_, index) => `u${index}`);
    const results = await Promise.all(users.map((userId) => provider.getAnalytics(userId)));
    expect(results.map(unwrap)).toEqual(users.map(expected));
  });

  it("has no busiest hour where there is no conversation", async () => {
    expect(unwrap(await provider.getAnalytics("nobody"))).toEqual({
      totalConversations: 0,
      totalMessages: 0,
      averageMessagesPerConversation: 0,
      conversationsLastWeek: 0,
      conversationsLastMonth: 0,
    });
  });

  it("does not depend on the time zone of the connection", async () => {
    const client = new pg.Client({ connectionString: inject("pgUrl"), options: "-c timezone=Asia/Tokyo" });
    await client.connect();
    const own = await createProvider({ schema }, client);
    expect(unwrap(await own.getAnalytics())).toEqual(expected(undefined));
    await client.end();
  });

  it.each(["", "a\0b", "u".repeat(256)])("refuses the user id %j", async (userId) => {
    expect(await provider.getAnalytics(userId)).toMatchObject({
      error: { _tag: "MemoryValidationError", issues: [{ path: "userId" }] },
    });
  });
});
