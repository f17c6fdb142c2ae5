import type { Result } from "@jaf/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ConversationAnalytics, PostgresProvider } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
let provider: PostgresProvider;

interface Stored {
  readonly userId: string;
  readonly messages: number;
  readonly lastActivity: Date;
  readonly expired: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();

// A fixed sequence, so a failure can be reproduced.
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

// The nights of clock changes in Berlin, New York, and on Lord Howe Island (by half an hour).
const CHANGES = [
  "2024-03-31T01:00Z",
  "2024-10-27T01:00Z",
  "2025-03-09T07:00Z",
  "2025-11-02T06:00Z",
  "2025-04-05T15:00Z",
].map((text) => Date.parse(text));

function randomTime(random: (below: number) => number): number {
  switch (random(4)) {
    case 0:
      return NOW - random(60 * DAY_MS) - 1_000;
    case 1:
      return NOW - random(800 * DAY_MS) - 1_000;
    default:
      return (CHANGES[random(CHANGES.length)] ?? 0) - 3 * HOUR_MS + random(6 * HOUR_MS);
  }
}

/** Some users have one conversation, some have many. */
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

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function localTime(date: Date, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "2-digit",
    hourCycle: "h23",
    weekday: "short",
  });
  const parts = new Map(format.formatToParts(date).map(({ type, value }) => [type, value]));
  return { hour: Number(parts.get("hour")), weekday: WEEKDAYS.indexOf(parts.get("weekday") ?? "") };
}

/** Returns the smallest one in a tie. */
function mostFrequent(values: readonly number[]): number {
  const counts = Array.from({ length: 24 }, (_, value) => values.filter((each) => each === value).length);
  return counts.indexOf(Math.max(...counts));
}

function expected(userId: string | undefined, timeZone: string): ConversationAnalytics {
  const chosen = conversations.filter(
    (each) => !each.expired && (userId === undefined || each.userId === userId),
  );
  const since = (days: number) =>
    chosen.filter(({ lastActivity }) => lastActivity.getTime() > NOW - days * DAY_MS).length;
  const totalMessages = chosen.reduce((sum, { messages }) => sum + messages, 0);
  const local = chosen.map(({ lastActivity }) => localTime(lastActivity, timeZone));
  return {
    totalConversations: chosen.length,
    totalMessages,
    averageMessagesPerConversation: chosen.length === 0 ? 0 : totalMessages / chosen.length,
    conversationsLastWeek: since(7),
    conversationsLastMonth: since(30),
    ...(chosen.length === 0
      ? {}
      : {
          busiestHour: mostFrequent(local.map(({ hour }) => hour)),
          busiestWeekday: mostFrequent(local.map(({ weekday }) => weekday)),
        }),
    timeZone,
  };
}

function unwrap<T>(result: Result<T>): T {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("getAnalytics", () => {
  it.each([
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
  ])("matches a count by hand, in total and for each user, in %s", async (timeZone) => {
    expect(unwrap(await provider.getAnalytics(undefined, { timeZone }))).toEqual(
      expected(undefined, timeZone),
    );
    const users = Array.from({ length: 41 }, (_, index) => `u${index}`);
    const results = await Promise.all(users.map((userId) => provider.getAnalytics(userId, { timeZone })));
    expect(results.map(unwrap)).toEqual(users.map((userId) => expected(userId, timeZone)));
  });

  it("uses UTC as the default time zone", async () => {
    expect(unwrap(await provider.getAnalytics())).toEqual(expected(undefined, "UTC"));
  });

  it("has no busiest hour if there is no conversation", async () => {
    expect(unwrap(await provider.getAnalytics("nobody"))).toEqual({
      totalConversations: 0,
      totalMessages: 0,
      averageMessagesPerConversation: 0,
      conversationsLastWeek: 0,
      conversationsLastMonth: 0,
      timeZone: "UTC",
    });
  });

  it("does not depend on the time zone of the connection", async () => {
    const client = new pg.Client({ connectionString: inject("pgUrl"), options: "-c timezone=Asia/Tokyo" });
    await client.connect();
    const own = await createProvider({ schema }, client);
    expect(unwrap(await own.getAnalytics())).toEqual(expected(undefined, "UTC"));
    await client.end();
  });

  it.each([
    "",
    "Mars/Phobos",
    "+05:30",
    "UTC+2",
    "CET",
    "EST",
    "PST8PDT",
    "Europe/Berlin'; DROP TABLE x; --",
    "Europe/../Berlin",
    7 as unknown as string,
    null as unknown as string,
  ])("refuses the time zone %j", async (timeZone) => {
    expect(await provider.getAnalytics("u1", { timeZone })).toMatchObject({
      error: { _tag: "MemoryValidationError", issues: [{ path: "timeZone" }] },
    });
  });

  it.each(["SystemV/AST4", "systemv/ast4"])(
    "refuses the time zone %j, which not every Postgres has",
    async (timeZone) => {
      expect(await provider.getAnalytics("u1", { timeZone })).toMatchObject({
        error: { _tag: "MemoryValidationError", issues: [{ path: "timeZone" }] },
      });
    },
  );

  it.each([
    ["options", null],
    ["options", "Europe/Berlin"],
    ["options", ["Europe/Berlin"]],
    ["zone", { zone: "Europe/Berlin" }],
  ])("refuses bad %s: %j", async (path, options) => {
    expect(await provider.getAnalytics("u1", options as object)).toMatchObject({
      error: { _tag: "MemoryValidationError", issues: [{ path }] },
    });
  });

  it.each(["", "a\0b", "u".repeat(256)])("refuses the user id %j", async (userId) => {
    expect(await provider.getAnalytics(userId)).toMatchObject({
      error: { _tag: "MemoryValidationError", issues: [{ path: "userId" }] },
    });
  });
});
