import { type MemoryProvider, type Message, withRetry } from "@jaf/memory";
import pg from "pg";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { startCutProxy } from "../../../test/cut-proxy.ts";
import type { PostgresConfig } from "../src/index.ts";
import { createProvider } from "./support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "./support/stores.ts";

const schemas: string[] = [];
const pools: pg.Pool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(() => dropSchemas(schemas));

interface Watched {
  readonly provider: MemoryProvider;
  readonly schema: string;
  readonly pool: pg.Pool;
  /** How many writes each statement since the last call of it had; 0 for the usual one of a single write. */
  readonly sent: () => readonly number[];
}

type Options = PostgresConfig & { readonly port?: number; readonly options?: string };

/** A provider on a pool, whose statements are counted. */
async function open({ port, options = "", ...config }: Options = {}): Promise<Watched> {
  const url = new URL(inject("pgUrl"));
  if (port !== undefined) url.port = String(port);
  const pool = new pg.Pool({ connectionString: url.href, max: 10, options });
  pool.on("error", () => {});
  pools.push(pool);
  const schema = config.schema ?? freshSchema();
  schemas.push(schema);
  const statements: number[] = [];
  const query = pool.query.bind(pool) as (query: pg.QueryConfig) => Promise<pg.QueryResult>;
  Object.assign(pool, {
    query: (statement: pg.QueryConfig) => {
      if (statement.text?.includes('_write_group"(')) {
        statements.push((JSON.parse(String(statement.values?.[0])) as unknown[]).length);
      } else if (statement.text?.includes('_write"(')) statements.push(0);
      return query(statement);
    },
  });
  const provider = await createProvider({ ...config, schema }, pool);
  return { provider, schema, pool, sent: () => statements.splice(0) };
}

const say = (content: string): readonly Message[] => [{ role: "user", content }];

const contents = async (provider: MemoryProvider, conversationId: string): Promise<readonly unknown[]> => {
  const result = await provider.getConversation(conversationId);
  if (!result.success) throw new Error(result.error.message);
  return result.data?.messages.map(({ content }) => content) ?? [];
};

const ids = (count: number, prefix = "c"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const BUSY = 8;

/** So many appends are in progress after this that the next ones go together. */
const keepBusy = (provider: MemoryProvider) =>
  Promise.all(ids(BUSY, "busy ").map((id) => provider.appendMessages(id, say("busy"))));

const busyAnd = (...counts: readonly number[]): readonly number[] => [
  ...Array<number>(BUSY).fill(0),
  ...counts,
];

async function create(provider: MemoryProvider, conversationIds: readonly string[]): Promise<void> {
  for (const id of conversationIds) await provider.appendMessages(id, say("first"));
}

describe("an append on a pool", () => {
  it("is one statement, of the usual kind, while no others are in flight", async () => {
    const { provider, sent } = await open();
    for (let count = 0; count < 3; count++) await provider.appendMessages("c", say("hi"));
    expect(sent()).toEqual([0, 0, 0]);
  });

  it("shares a statement with others that come while eight are in flight", async () => {
    const { provider, sent } = await open();
    await create(provider, ids(10));
    sent();
    const results = await Promise.all([
      keepBusy(provider),
      ...ids(10).map((id) => provider.appendMessages(id, say("second"))),
    ]);
    expect(results.slice(1)).toMatchObject(ids(10).map(() => ({ success: true, data: undefined })));
    expect(sent()).toEqual(busyAnd(10));
    for (const id of ids(10)) expect(await contents(provider, id)).toEqual(["first", "second"]);
  });

  it("keeps its batch whole and its place, of 200 at once to 20 conversations", async () => {
    const { provider, schema, sent } = await open({ schema: `${freshSchema()} "and" 'more'`, partitions: 3 });
    const append = (index: number) => {
      const [conversation, batch] = [index % 20, Math.floor(index / 20)];
      const messages = [...say(`${batch} a`), ...say(`${batch} b`)];
      return provider.appendMessages(`c${conversation}`, messages, { userId: "u", batch: `${batch}` });
    };
    const results = await Promise.all(Array.from({ length: 200 }, (_, index) => append(index)));
    expect(results.filter(({ success }) => !success)).toEqual([]);
    const inOrder = Array.from({ length: 10 }, (_, batch) => [`${batch} a`, `${batch} b`]).flat();
    for (const id of ids(20)) expect(await contents(provider, id)).toEqual(inOrder);
    const { rows } =
      await runSql(`SELECT DISTINCT version::int, total_messages::int AS total, writes::int, metadata
      FROM ${pg.escapeIdentifier(schema)}.conversations`);
    expect(rows).toEqual([{ version: 10, total: 20, writes: 10, metadata: { batch: "9" } }]);
    expect(sent().length).toBeLessThan(60);
  });

  it("comes with everything that it brings: owner, trace, metadata, key, limit and expiry", async () => {
    const { provider, sent } = await open();
    await create(provider, ["c", "another"]);
    sent();
    const message = { role: "user", content: 'a "quoted" \\ \0 \u{1F600} line\nbreak' } as const;
    const metadata = { userId: "u", traceId: "t", tag: "ü\u2028", odd: "\0\ud800" };
    const limits = { idempotencyKey: "k", maxMessages: 1, ttlSeconds: 100, messageIds: ["own"] };
    const [, , appended] = await Promise.all([
      keepBusy(provider),
      provider.appendMessages("another", say("second")),
      provider.appendMessages("c", [message], metadata, { ...limits, expectedVersion: 1 }),
    ]);
    expect(appended).toMatchObject({ success: true, data: undefined });
    expect(sent()).toEqual(busyAnd(2));
    expect(await provider.findConversations({ traceId: "t", userId: "u" })).toMatchObject({
      data: [
        {
          messages: [message],
          userId: "u",
          metadata: { tag: "ü\u2028", odd: "\0\ud800", version: 2, totalMessages: 1 },
        },
      ],
    });
    const again = provider.appendMessages("c", [message], metadata, limits);
    expect(await again).toMatchObject({ success: true });
    expect(await contents(provider, "c")).toHaveLength(1);
  });

  it("has an outcome of its own, whatever becomes of the others", async () => {
    const { provider, sent } = await open();
    await create(provider, ids(6));
    await provider.appendMessages("c1", [], { userId: "owner" });
    await provider.appendMessages("c2", say("keyed"), { userId: "u" }, { idempotencyKey: "k" });
    sent();
    const append = (at: number, content: string, userId = "u", options = {}) =>
      provider.appendMessages(`c${at}`, say(content), { userId }, options);
    const [, ...results] = await Promise.all([
      keepBusy(provider),
      append(0, "good"),
      append(1, "of another user", "stranger"),
      append(2, "keyed", "u", { idempotencyKey: "k" }),
      append(2, "other", "u", { idempotencyKey: "k" }),
      append(3, "too early", "u", { expectedVersion: 7 }),
      append(4, "good"),
      append(4, "good again", "u", { expectedVersion: 2 }),
    ]);
    const good = { success: true };
    const conflict = (reason: string) => ({ error: { _tag: "MemoryConflictError", reason } });
    expect(results).toMatchObject([
      good,
      conflict("owner"),
      good,
      conflict("idempotency-key"),
      { error: { reason: "version", actualVersion: 1 } },
      good,
      good,
    ]);
    expect(sent()).toEqual(busyAnd(7));
    expect(await contents(provider, "c2")).toEqual(["first", "keyed"]);
    expect(await contents(provider, "c4")).toEqual(["first", "good", "good again"]);
  });

  it("fails alone if the database refuses it: the others of its group are sent again", async () => {
    const { provider, schema, sent } = await open();
    await create(provider, ids(5));
    await runSql(`ALTER TABLE "${schema}".conversations_messages ADD CHECK (body NOT LIKE '%refuse me%')`);
    sent();
    const [, ...results] = await Promise.all([
      keepBusy(provider),
      ...ids(5).map((id, at) => provider.appendMessages(id, say(at === 2 ? "refuse me" : "good"))),
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, true, false, true, true]);
    expect(results[2]).toMatchObject({ error: { _tag: "MemoryStorageError", cause: { code: "23514" } } });
    expect(sent()).toEqual(busyAnd(5, 0, 0, 0, 0, 0));
    expect(await contents(provider, "c1")).toEqual(["first", "good"]);
    expect(await contents(provider, "c2")).toEqual(["first"]);
  });

  it("is answered by its known key, even if it expects the current version", async () => {
    const { provider, sent } = await open();
    await create(provider, ids(2));
    await provider.appendMessages("c0", say("keyed"), { userId: "u" }, { idempotencyKey: "k" });
    sent();
    const again = (content: string) =>
      provider.appendMessages(
        "c0",
        say(content),
        { userId: "u" },
        { idempotencyKey: "k", expectedVersion: 2 },
      );
    const [, ...results] = await Promise.all([
      keepBusy(provider),
      again("keyed"),
      again("other"),
      provider.appendMessages("c1", say("good")),
    ]);
    expect(results).toMatchObject([
      { success: true },
      { error: { reason: "idempotency-key" } },
      { success: true },
    ]);
    expect(await contents(provider, "c0")).toEqual(["first", "keyed"]);
    expect(await contents(provider, "c1")).toEqual(["first", "good"]);
  });

  it("blocks nobody while its conversation is locked by somebody else", async () => {
    const { provider, schema, sent } = await open();
    await create(provider, ids(8));
    sent();
    await useClient(async (client) => {
      await client.query(
        `BEGIN; SELECT FROM "${schema}".conversations WHERE conversation_id = 'c0' FOR UPDATE`,
      );
      const busy = keepBusy(provider);
      const locked = ["second", "third"].map((content) => provider.appendMessages("c0", say(content)));
      const others = ids(8).slice(1);
      await Promise.all([busy, ...others.map((id) => provider.appendMessages(id, say("second")))]);
      for (const id of others) expect(await contents(provider, id)).toEqual(["first", "second"]);
      expect(sent().slice(0, BUSY + 1)).toEqual(busyAnd(9));
      await client.query("COMMIT");
      expect(await Promise.all(locked)).toMatchObject([{ success: true }, { success: true }]);
    });
    expect(await contents(provider, "c0")).toEqual(["first", "second", "third"]);
  });

  it("goes by itself where it is a replacement, or large; and no statement has more than 64", async () => {
    const { provider, sent } = await open();
    await create(provider, ids(100));
    sent();
    const results = await Promise.all([
      keepBusy(provider),
      provider.storeMessages("replaced", say("new")),
      provider.appendMessages("large", say("x".repeat(1_000_000))),
      ...ids(100).map((id) => provider.appendMessages(id, say("second"))),
    ]);
    expect(results.slice(1).filter((result) => !("success" in result && result.success))).toEqual([]);
    expect([...sent()].sort((a, b) => a - b)).toEqual(busyAnd(0, 0, 36, 64));
  });

  it("to a conversation that row-level security hides is refused, and no other of its group", async () => {
    const { provider: owner, schema } = await open();
    await owner.appendMessages("mine", say("first"), { userId: "me" });
    await owner.appendMessages("hidden", say("first"), { userId: "another" });
    const role = freshSchema();
    await runSql(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA "${schema}" TO ${role};
      ALTER TABLE "${schema}".conversations ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON "${schema}".conversations USING (user_id = current_setting('app.me'))`);
    const { provider, sent } = await open({ schema, options: `-c role=${role} -c app.me=me` });
    const [, mine, hidden] = await Promise.all([
      keepBusy(provider),
      provider.appendMessages("mine", say("second"), { userId: "me" }),
      provider.appendMessages("hidden", say("second"), { userId: "me" }),
    ]);
    expect(mine).toMatchObject({ success: true, data: undefined });
    expect(hidden).toMatchObject({ error: { cause: { code: "JF001" } } });
    expect(sent()).toEqual(busyAnd(2, 0));
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

describe("a connection that breaks after a group was written", () => {
  async function openBehindCut() {
    const proxy = await startCutProxy(
      Number(new URL(inject("pgUrl")).port),
      (request) => request.includes("to be lost") && proxy.cuts() === 0,
    );
    const watched = await open({ port: proxy.port });
    await create(watched.provider, ids(10));
    watched.sent();
    return { ...watched, proxy };
  }

  it("is an error of the connection for each of them, and none is sent again", async () => {
    const { provider, sent, proxy } = await openBehindCut();
    const [, ...results] = await Promise.all([
      keepBusy(provider),
      ...ids(10).map((id) => provider.appendMessages(id, say("to be lost"))),
    ]);
    const error = { _tag: "MemoryConnectionError", retryable: true, operation: "appendMessages" };
    expect(results).toMatchObject(ids(10).map(() => ({ error })));
    expect(sent()).toEqual(busyAnd(10));
    expect(await contents(provider, "c3")).toEqual(["first", "to be lost"]);
    await proxy.stop();
  });

  it("is made good by a retry, which stores nothing twice", async () => {
    const { provider, proxy } = await openBehindCut();
    const patient = withRetry(provider);
    const results = await Promise.all([
      keepBusy(provider),
      ...ids(10).map((id) => patient.appendMessages(id, say("to be lost"))),
    ]);
    expect(results.slice(1)).toMatchObject(ids(10).map(() => ({ success: true, data: undefined })));
    expect(proxy.cuts()).toBe(1);
    for (const id of ids(10)) expect(await contents(provider, id)).toEqual(["first", "to be lost"]);
    await proxy.stop();
  });
});

describe("close", () => {
  it("waits for the appends that still wait to be sent", async () => {
    const schema = freshSchema();
    schemas.push(schema);
    const provider = await createProvider({
      connectionString: inject("pgUrl"),
      schema,
      maxConnections: 2,
    });
    const appends = ids(200).map((id) => provider.appendMessages(id, say("hi")));
    expect(await provider.close()).toEqual({ success: true, data: undefined });
    expect((await Promise.all(appends)).filter(({ success }) => !success)).toEqual([]);
  });
});

describe("on a client, which may be in a transaction of the application", () => {
  it("each append is a statement of its own", () =>
    useClient(async (client) => {
      const schema = freshSchema();
      schemas.push(schema);
      const provider = await createProvider({ schema }, client);
      await client.query("BEGIN");
      await Promise.all(ids(20).map((id) => provider.appendMessages(id, say("hi"))));
      await client.query("ROLLBACK");
      expect(await provider.getStats()).toMatchObject({ data: { totalConversations: 0 } });
    }));

  it("a key that is known doesn't end the transaction", () =>
    useClient(async (client) => {
      const schema = freshSchema();
      schemas.push(schema);
      const provider = await createProvider({ schema }, client);
      await create(provider, ["c"]);
      await client.query("BEGIN");
      for (const expectedVersion of [1, 2])
        expect(
          await provider.appendMessages("c", say("keyed"), {}, { idempotencyKey: "k", expectedVersion }),
        ).toMatchObject({ success: true });
      await client.query("COMMIT");
      expect(await contents(provider, "c")).toEqual(["first", "keyed"]);
    }));
});
