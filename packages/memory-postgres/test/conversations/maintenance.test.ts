import type { Result } from "@jaf/memory";
import { conversationCursor } from "@jaf/memory/adapter";
import pg from "pg";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { PostgresProvider } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
let provider: PostgresProvider;

beforeEach(async () => {
  provider = await createProvider({ schema }, pool);
  await runSql(`TRUNCATE "${schema}".conversations`);
});

afterAll(async () => {
  await pool.end();
  await dropSchemas([schema]);
});

const hello = { role: "user", content: "hello" } as const;

function unwrap<T>(result: Result<T>): T {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

/** Inserts `count` conversations with two messages each. `age` and `expires` are SQL. */
const insert = (prefix: string, count: number, { age = "0 s", expires = "NULL" } = {}) =>
  runSql(`SET search_path = "${schema}";
    INSERT INTO conversations (conversation_id, user_id, last_activity, total_messages, version, last_seq, expires_at)
    SELECT '${prefix}' || id, 'u', now() - interval '${age}', 2, 1, 2, ${expires} FROM generate_series(1, ${count}) AS id;
    INSERT INTO conversations_messages
    SELECT conversation_id, seq, '{"role":"user","content":"x"}', false
    FROM conversations, generate_series(1, 2) AS seq WHERE conversation_id LIKE '${prefix}%'`);

const count = async (table = "conversations"): Promise<number> =>
  (await runSql(`SELECT count(*)::int FROM "${schema}".${table}`)).rows[0].count;

/** Holds row locks on the conversations during `use`. */
const withLocked = (pattern: string, use: () => Promise<void>) =>
  useClient(async (client) => {
    await client.query(
      `BEGIN; SELECT FROM "${schema}".conversations WHERE conversation_id LIKE '${pattern}' FOR UPDATE`,
    );
    await use();
  });

describe("cleanupOldConversations", () => {
  it("deletes older conversations as a whole, and returns their number", async () => {
    await insert("old", 260, { age: "31 days" });
    await insert("new", 3, { age: "29 days" });
    expect(unwrap(await provider.cleanupOldConversations(30))).toBe(260);
    expect(await count()).toBe(3);
    expect(await count("conversations_messages")).toBe(6);
    expect(unwrap(await provider.cleanupOldConversations(30))).toBe(0);
  });

  it("uses the last activity, not the creation", async () => {
    await insert("c", 1, { age: "31 days" });
    await provider.appendMessages("c1", [hello]);
    expect(unwrap(await provider.cleanupOldConversations(30))).toBe(0);
  });

  it("accepts fractions of a day, and any number of days", async () => {
    await insert("c", 1, { age: "13 hours" });
    expect(unwrap(await provider.cleanupOldConversations(Number.MAX_VALUE))).toBe(0);
    expect(unwrap(await provider.cleanupOldConversations(0.55))).toBe(0);
    expect(unwrap(await provider.cleanupOldConversations(0.5))).toBe(1);
  });

  it("also removes expired conversations, but does not count them", async () => {
    await insert("old", 2, { age: "31 days" });
    await insert("both", 3, { age: "31 days", expires: "now() - interval '1 day'" });
    await insert("expired", 4, { expires: "now() - interval '1 s'" });
    expect(unwrap(await provider.cleanupOldConversations(30))).toBe(2);
    expect(await count()).toBe(0);
  });

  it("never waits, and leaves locked conversations for the next time", async () => {
    await insert("old", 120, { age: "31 days" });
    await insert("used", 2, { age: "31 days" });
    await withLocked("used%", async () => {
      expect(unwrap(await provider.cleanupOldConversations(30))).toBe(120);
    });
    expect(unwrap(await provider.cleanupOldConversations(30))).toBe(2);
  });

  it("counts each conversation once if it runs concurrently with itself, appends and a user's clearing", async () => {
    await insert("old", 300, { age: "31 days" });
    const results = await Promise.all([
      provider.cleanupOldConversations(30),
      provider.cleanupOldConversations(30),
      provider.clearUserConversations("u"),
      provider.purgeExpired(),
    ]);
    const [one, other, cleared] = results.map((result) => unwrap(result));
    expect((one ?? 0) + (other ?? 0) + (cleared ?? 0)).toBe(300);
    expect(await count("conversations_messages")).toBe(0);
  });

  it.each([
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "30" as unknown as number,
    undefined as unknown as number,
  ])("refuses %s as a number of days", async (days) => {
    await insert("old", 1, { age: "9999 days" });
    expect(await provider.cleanupOldConversations(days)).toMatchObject({
      error: {
        _tag: "MemoryValidationError",
        operation: "cleanupOldConversations",
        issues: [{ path: "days", expected: "a positive, finite number" }],
      },
    });
    expect(await count()).toBe(1);
  });
});

describe("purgeExpired", () => {
  it("removes only expired conversations", async () => {
    await insert("expired", 230, { expires: "now() - interval '1 s'" });
    await insert("later", 2, { expires: "now() + interval '1 day'" });
    await insert("never", 2, { expires: "'infinity'" });
    await insert("kept", 2);
    expect(unwrap(await provider.purgeExpired())).toBe(230);
    expect(await count()).toBe(6);
    expect(await count("conversations_messages")).toBe(12);
  });

  it("never waits", async () => {
    await insert("expired", 130, { expires: "now() - interval '1 s'" });
    await withLocked("expired1", async () => {
      expect(unwrap(await provider.purgeExpired())).toBe(129);
    });
  });
});

describe("writes with a time to live", () => {
  it("remove more than can expire, so nothing piles up", async () => {
    await insert("expired", 60, { expires: "now() - interval '1 s'" });
    for (let index = 0; index < 30; index++)
      await provider.appendMessages(`c${index}`, [hello], {}, { ttlSeconds: 3_600 });
    expect(await count()).toBe(30);
  });

  it("stop early if much has expired, and continue with the next write", async () => {
    await insert("expired", 30, { expires: "now() - interval '1 s'" });
    await runSql(`UPDATE "${schema}".conversations SET total_messages = 500, last_seq = 500`);
    await runSql(`UPDATE "${schema}".conversations SET total_messages = 9999, last_seq = 9999, expires_at = now() - interval '1 h'
      WHERE conversation_id = 'expired1'`);
    const expired = async () =>
      (await runSql(`SELECT FROM "${schema}".conversations WHERE conversation_id LIKE 'expired%'`))
        .rowCount ?? 0;
    const left = [await expired()];
    while (left.at(-1) !== 0 && left.length < 25) {
      await provider.appendMessages("c", [hello], {}, { ttlSeconds: 3_600 });
      left.push(await expired());
    }
    expect(left.filter((count, at) => count !== left[at - 1])).toEqual([30, 29, 25, 21, 17, 13, 9, 5, 1, 0]);
    expect(left.slice(-10)).toEqual([30, 29, 25, 21, 17, 13, 9, 5, 1, 0]);
  });

  it("remove nothing on a client, since a transaction of the application would keep it locked", async () => {
    await insert("expired", 60, { expires: "now() - interval '1 s'" });
    await useClient(async (client) => {
      const own = await createProvider({ schema }, client);
      for (let index = 0; index < 30; index++)
        await own.appendMessages(`c${index}`, [hello], {}, { ttlSeconds: 3_600 });
    });
    expect(await count()).toBe(90);
  });
});

describe("clearing a user", () => {
  it("uses statements that each delete few conversations and messages, in one fixed order", async () => {
    await insert("c", 130);
    const big = Array.from({ length: 600 }, () => hello);
    await provider.appendMessages("big", big, { userId: "u" });
    const deleted: string[][] = [];
    const counting = new Proxy(pool, {
      get: (target, name) => {
        if (name !== "query") return Reflect.get(target, name, target);
        return async (query: pg.QueryConfig) => {
          const ids = query.values?.find((value) => Array.isArray(value));
          if (query.text.includes("DELETE") && ids !== undefined) deleted.push(ids);
          return target.query(query);
        };
      },
    });
    const watched = await createProvider({ schema }, counting);
    expect(unwrap(await watched.clearUserConversations("u"))).toBe(131);
    for (const ids of deleted) expect(ids.length).toBeLessThanOrEqual(25);
    expect(deleted.find((ids) => ids.includes("big"))).toEqual(["big"]);
    expect(deleted.flat()).toEqual([...deleted.flat()].sort());
    expect(await count("conversations_messages")).toBe(0);
  });
});

describe("in a long transaction", () => {
  it("a conversation that expires in the middle stays missing for the rest", () =>
    useClient(async (client) => {
      const own = await createProvider({ schema }, client);
      await own.appendMessages("c", [hello], { userId: "u" });
      await client.query("BEGIN; SELECT pg_sleep(0.02)");
      await client.query(
        `UPDATE "${schema}".conversations SET expires_at = clock_timestamp() - interval '5 ms' RETURNING 1`,
      );
      expect(await own.getConversation("c")).toMatchObject({ data: null });
      expect(await own.getRecentMessages("c")).toMatchObject({ data: [] });
      expect(await own.findConversations({ userId: "u" })).toMatchObject({ data: [] });
      expect(await own.getStats("u")).toMatchObject({ data: { totalConversations: 0 } });
      expect(await own.getAnalytics("u")).toMatchObject({ data: { totalConversations: 0 } });
      const view = await client.query(`SELECT FROM "${schema}".conversations_with_messages`);
      expect(view.rowCount).toBe(0);
      expect(await own.purgeExpired()).toMatchObject({ data: 1 });
      await client.query("ROLLBACK");
    }));
});

describe("infinite times that were written by hand", () => {
  const write = (column: string, time: string) =>
    runSql(`UPDATE "${schema}".conversations SET ${column} = '${time}'`);

  it("don't prevent the removal of expired conversations", async () => {
    await insert("c", 130);
    await write("expires_at", "-infinity");
    expect(unwrap(await provider.purgeExpired())).toBe(130);
  });

  it("don't prevent the removal of old conversations", async () => {
    await insert("c", 130);
    await write("last_activity", "-infinity");
    expect(unwrap(await provider.cleanupOldConversations(1))).toBe(130);
    await insert("c", 3);
    await write("last_activity", "infinity");
    expect(unwrap(await provider.cleanupOldConversations(1))).toBe(0);
  });

  it("have no hour and no weekday", async () => {
    await insert("c", 3);
    await write("last_activity", "infinity");
    await provider.appendMessages("d", [hello], { userId: "u" });
    await runSql(
      `UPDATE "${schema}".conversations SET last_activity = '2024-01-03 07:30Z' WHERE conversation_id = 'd'`,
    );
    expect(unwrap(await provider.getAnalytics("u"))).toMatchObject({
      totalConversations: 4,
      busiestHour: 7,
      busiestWeekday: 3,
    });
  });

  it.each([
    ["infinity", 8.64e15],
    ["-infinity", -8.64e15],
  ])("such as %s are read as the nearest date, and a cursor continues from there", async (time, ms) => {
    await insert("c", 3);
    await write("last_activity", time);
    await write("created_at", time);
    const date = new Date(ms);
    expect(unwrap(await provider.getConversation("c1"))?.metadata).toMatchObject({
      createdAt: date,
      lastActivity: date,
    });
    expect(unwrap(await provider.getStats())).toMatchObject({
      oldestConversation: date,
      newestConversation: date,
    });
    const [first, ...others] = unwrap(await provider.findConversations({ userId: "u" }));
    const cursor = (first && conversationCursor(first)) ?? "";
    expect(others).toHaveLength(2);
    expect(unwrap(await provider.findConversations({ userId: "u", cursor }))).toEqual(others);
  });
});

describe("a closed provider", () => {
  it("refuses all methods", async () => {
    await provider.close();
    const closed = { error: { _tag: "MemoryConnectionError", retryable: false } };
    expect(await provider.cleanupOldConversations(1)).toMatchObject(closed);
    expect(await provider.purgeExpired()).toMatchObject(closed);
    expect(await provider.getAnalytics()).toMatchObject(closed);
  });
});

describe("a failing server", () => {
  it("causes a tagged error of the operation", async () => {
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    const own = await createProvider({ schema }, client);
    await client.end();
    for (const [operation, result] of [
      ["cleanupOldConversations", await own.cleanupOldConversations(1)],
      ["purgeExpired", await own.purgeExpired()],
      ["getAnalytics", await own.getAnalytics("u")],
    ] as const)
      expect(result).toMatchObject({ error: { _tag: "MemoryConnectionError", operation } });
  });
});
