import { MemorySetupError } from "@jaf/memory";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { migrate } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

afterAll(() => dropSchemas(schemas));

const hello = [{ role: "user", content: "hello" }] as const;

describe("without a client", () => {
  it("opens a pool, and closes it", async () => {
    const name = freshSchema();
    const connectionString = `${inject("pgUrl")}?application_name=${name}`;
    const provider = await createProvider({
      connectionString,
      schema: schemaOf(),
      maxConnections: 3,
    });
    const appends = Array.from({ length: 20 }, (_, index) => provider.appendMessages(`c${index}`, hello));
    for (const result of await Promise.all(appends)) expect(result.success).toBe(true);
    const count = `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = '${name}'`;
    expect((await runSql(count)).rows[0].count).toBeLessThanOrEqual(3);
    expect(await provider.close()).toEqual({ success: true, data: undefined });
    await expect.poll(async () => (await runSql(count)).rows[0].count).toBe(0);
    expect(await provider.getStats()).toMatchObject({ error: { _tag: "MemoryConnectionError" } });
  });

  it("survives if the server closes its idle connections", async () => {
    const name = freshSchema();
    const connectionString = `${inject("pgUrl")}?application_name=${name}`;
    const provider = await createProvider({ connectionString, schema: schemaOf() });
    await runSql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`);
    await expect.poll(async () => (await provider.appendMessages("c", hello)).success).toBe(true);
    await provider.close();
  });

  it.each([
    ["nothing listens", { host: "127.0.0.1", port: 1 }, true],
    ["there is no such database", { database: "no_such_database" }, false],
  ])("fails with a tagged error if %s", async (_case, config, retryable) => {
    const { hostname, port, username } = new URL(inject("pgUrl"));
    const target = { host: hostname, port: Number(port), username, password: "s3cret", ...config };
    const thrown = await createProvider(target).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MemorySetupError);
    expect(thrown).toMatchObject({
      error: { _tag: "MemoryConnectionError", retryable, provider: "postgres" },
    });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain("s3cret");
  });
});

describe("a statement that does not end", () => {
  it("fails after queryTimeoutMs, and leaves the pool usable", async () => {
    const schema = schemaOf();
    const connectionString = inject("pgUrl");
    await useClient((client) => migrate(client, { schema })); // May take longer than the tested timeout.
    const provider = await createProvider({
      connectionString,
      schema,
      maxConnections: 1,
      queryTimeoutMs: 200,
    });
    await provider.appendMessages("c", hello);
    await useClient(async (client) => {
      await client.query(`BEGIN; SELECT FROM "${schema}".conversations FOR UPDATE`);
      expect(await provider.appendMessages("c", hello)).toMatchObject({
        error: {
          _tag: "MemoryConnectionError",
          retryable: true,
          message: expect.stringContaining("in time"),
        },
      });
    });
    expect(await provider.getConversation("c")).toMatchObject({ success: true });
    await provider.close();
  });

  it("does not delay a health check", async () => {
    const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
    const busy = await pool.connect();
    const names = { tableName: "conversations", schema: "public" };
    const sql = adaptClient(pool);
    const backend = createConversationBackend({ sql, names, close: async () => {}, pingTimeoutMs: 50 });
    const provider = defineMemoryProvider(backend);
    expect(await provider.healthCheck()).toMatchObject({
      success: true,
      data: { healthy: false, error: expect.stringContaining("in time") },
    });
    busy.release();
    await pool.end();
  });
});

describe("a conversation", () => {
  it("is a conflict of ids with a clear error if row-level security hides it", async () => {
    const schema = schemaOf();
    const role = freshSchema();
    await useClient((client) => migrate(client, { schema }));
    await runSql(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA "${schema}" TO ${role};
      ALTER TABLE "${schema}".conversations ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON "${schema}".conversations USING (user_id = current_setting('app.me'))`);
    await useClient(async (client) => {
      const provider = await createProvider({ schema }, client);
      await provider.appendMessages("c", hello, { userId: "other" });
      await client.query(`SET ROLE ${role}; SET app.me = 'own'; SET statement_timeout = '2s'`);
      expect(await provider.appendMessages("d", hello, { userId: "own" })).toMatchObject({ success: true });
      expect(await provider.appendMessages("d", hello)).toMatchObject({ success: true });
      expect(await provider.appendMessages("c", hello, { userId: "own" })).toMatchObject({
        error: {
          _tag: "MemoryStorageError",
          retryable: false,
          message: expect.stringContaining("a conversation of that id is not visible to this role"),
        },
      });
    });
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it.each([
    [0, 10_000],
    [63, 10_000],
    [64, 10_000],
    [65, 10_000],
    [255, 10_000],
    [256, 10_000],
    [257, 10_000],
    [1_000, 10_000],
    [1_000, 255],
    [1_000, 488],
    [1_000, 489],
  ])("of %i messages, with the last %i kept, is read in parts and returned as a whole", (written, kept) =>
    useClient(async (client) => {
      const provider = await createProvider({ schema: schemaOf() }, client);
      const all = Array.from({ length: written }, (_, n) => ({ role: "user", content: `${n}` }) as const);
      const metadata = { userId: "u", topic: "parts" };
      await provider.appendMessages("c", all, metadata, { maxMessages: kept });
      expect(await provider.getConversation("c")).toMatchObject({
        data: {
          conversationId: "c",
          userId: "u",
          messages: all.slice(-kept),
          metadata: { topic: "parts", nextPosition: written, totalMessages: Math.min(written, kept) },
        },
      });
      expect(await provider.getRecentMessages("c", 300)).toMatchObject({
        data: all.slice(-kept).slice(-300),
      });
    }),
  );

  it("is refused if it is too large for one string, but its end can be read", () =>
    useClient(async (client) => {
      const names = { tableName: "conversations", schema: schemaOf() };
      await migrate(client, names);
      const sql = adaptClient(client);
      const backend = createConversationBackend({ sql, names, close: async () => {}, maxReadBytes: 1_000 });
      const provider = defineMemoryProvider(backend);
      const part = { role: "user", content: "x".repeat(400) } as const;
      await provider.storeMessages("c", [part, part], { userId: "u" });
      expect(await provider.getConversation("c")).toMatchObject({ data: { messages: [part, part] } });
      await provider.appendMessages("c", [part]);
      const refused = {
        error: {
          _tag: "MemoryStorageError",
          retryable: false,
          message: expect.stringMatching(/getRecentMessages.*maxMessages/),
        },
      };
      expect(await provider.getConversation("c")).toMatchObject(refused);
      expect(await provider.findConversations({ userId: "u" })).toMatchObject(refused);
      expect(await provider.getRecentMessages("c", 2)).toMatchObject({ data: [part, part] });
      expect(await provider.appendMessages("c", [part])).toMatchObject({ success: true });
    }));

  it("is refused if its parts together are too large, but not for one large part", () =>
    useClient(async (client) => {
      const names = { tableName: "conversations", schema: schemaOf() };
      await migrate(client, names);
      const sql = adaptClient(client);
      const backend = createConversationBackend({ sql, names, close: async () => {}, maxReadBytes: 50_000 });
      const provider = defineMemoryProvider(backend);
      const short = Array.from({ length: 500 }, (_, n) => ({ role: "user", content: `${n}` }) as const);
      const all = [...short, { role: "user", content: "x".repeat(25_000) } as const];
      await provider.storeMessages("c", all);
      expect(await provider.getConversation("c")).toMatchObject({ data: { messages: all } });
      await provider.storeMessages(
        "even",
        Array.from({ length: 500 }, () => ({ role: "user", content: "x".repeat(100) }) as const),
      );
      expect(await provider.getConversation("even")).toMatchObject({
        error: { _tag: "MemoryStorageError", retryable: false },
      });
    }));
});

describe("a client that was passed in", () => {
  it("stays open after the provider is closed", () =>
    useClient(async (client) => {
      const provider = await createProvider({ schema: schemaOf() }, client);
      expect(await provider.close()).toEqual({ success: true, data: undefined });
      expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    }));

  it("is refused instead of waiting forever if it is not connected", async () => {
    const created = createProvider({}, new pg.Client(inject("pgUrl")));
    await expect(created).rejects.toThrow(/await its connect\(\) first/);
  });

  it("is an error, and an unhealthy store, after it was closed", async () => {
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    const provider = await createProvider({ schema: schemaOf() }, client);
    await client.end();
    expect(await provider.getStats()).toMatchObject({
      error: { _tag: "MemoryConnectionError", retryable: false },
    });
    expect(await provider.healthCheck()).toMatchObject({
      data: { healthy: false, error: expect.any(String) },
    });
  });

  it("may parse types in its own way", async () => {
    const isText = (oid: number): boolean => oid === 25;
    const types = {
      getTypeParser: (oid: number) => (value: string) => (isText(oid) ? value : { odd: value }),
    };
    const client = new pg.Client({ connectionString: inject("pgUrl"), types } as pg.ClientConfig);
    await client.connect();
    const provider = await createProvider({ schema: schemaOf() }, client);
    await provider.appendMessages("c", hello, { userId: "u", at: new Date(0) });
    expect(await provider.getStats("u")).toMatchObject({ data: { totalMessages: 1 } });
    expect(await provider.findConversations({ userId: "u" })).toMatchObject({
      data: [{ messages: hello, metadata: { version: 1, at: new Date(0), createdAt: expect.any(Date) } }],
    });
    await client.end();
  });
});

describe("prepared statements", () => {
  const withPool = async (use: (pool: pg.Pool) => Promise<void>) => {
    const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
    try {
      await use(pool);
    } finally {
      await pool.end();
    }
  };

  it("are disabled if a proxy loses them", () =>
    withPool(async (pool) => {
      const provider = await createProvider({ schema: schemaOf() }, pool);
      expect(await provider.appendMessages("c", hello)).toMatchObject({ success: true });
      expect((await pool.query("SELECT FROM pg_prepared_statements")).rowCount).toBe(1);
      await pool.query("DEALLOCATE ALL");
      expect(await provider.appendMessages("c", hello)).toMatchObject({ success: true });
      expect(await provider.appendMessages("c", hello)).toMatchObject({ success: true });
      expect(await provider.getConversation("c")).toMatchObject({ data: { metadata: { version: 3 } } });
    }));

  it("are disabled if those of another connection are found", async () => {
    const schema = schemaOf();
    await withPool(async (pool) => {
      const provider = await createProvider({ schema }, pool);
      await provider.appendMessages("c", hello);
      const { rows } = await pool.query("SELECT name FROM pg_prepared_statements");
      await withPool(async (other) => {
        await other.query(`PREPARE ${rows[0].name} AS SELECT 'wrong'`);
        const moved = await createProvider({ schema }, other);
        expect(await moved.appendMessages("c", hello)).toMatchObject({ success: true });
        expect(await moved.getConversation("c")).toMatchObject({ data: { metadata: { version: 2 } } });
      });
    });
  });

  it("are not used on a client, since losing one would abort the application's transaction", () =>
    useClient(async (client) => {
      const provider = await createProvider({ schema: schemaOf() }, client);
      await provider.appendMessages("c", hello);
      await client.query("BEGIN; DEALLOCATE ALL");
      expect(await provider.appendMessages("c", hello)).toMatchObject({ success: true });
      await client.query("COMMIT");
      expect(await provider.getConversation("c")).toMatchObject({ data: { metadata: { version: 2 } } });
    }));
});
