import type { Message, WriteOptions } from "@jaf/memory";
import { TOMBSTONE_SECONDS, tombstoneKey } from "@jaf/memory/adapter";
import pg from "pg";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { createPostgresProvider, type PostgresConfig, type PostgresProvider } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const ROUNDS = 60;

const schemas: string[] = [];
const pools: pg.Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(() => dropSchemas(schemas));

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

const hello: readonly Message[] = [{ role: "user", content: "hello" }];

/** Opens a provider on its own pool. `options` are those of the connections. */
async function open(config: PostgresConfig, options = ""): Promise<PostgresProvider> {
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4, options });
  pools.push(pool);
  return createPostgresProvider(config, pool);
}

/** Returns what a run that reads the conversation now would expect. */
async function expectationOf(provider: PostgresProvider, id: string, userId = "u"): Promise<WriteOptions> {
  const read = await provider.readConversation(id, { userId, messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  return { expectedIncarnation: read.data.incarnation, createIfMissing: true };
}

const isThere = async (provider: PostgresProvider, id: string): Promise<boolean> => {
  const read = await provider.getConversation(id);
  if (!read.success) throw new Error(read.error.message);
  return read.data !== null;
};

const refused = { error: { _tag: "MemoryConflictError", reason: "incarnation" } };
const done = { success: true };

const erasures: readonly (readonly [string, (provider: PostgresProvider, id: string) => Promise<unknown>])[] =
  [
    ["deleted", (provider, id) => provider.deleteConversation(id)],
    ["cleared with its user", (provider) => provider.clearUserConversations("u")],
  ];

const places: readonly (readonly [string, { readonly partitions?: number }, string])[] = [
  ["a pool", {}, ""],
  ["a pool, in partitions", { partitions: 2 }, ""],
  ["a pool that is repeatable read", {}, "-c default_transaction_isolation=repeatable\\ read"],
];

describe.each(places)("on %s", (_name, config, options) => {
  it.each(erasures)(
    "a conversation that is created while it is %s is removed or refused",
    async (_how, erase) => {
      const schema = schemaOf();
      const [reader, creator, eraser] = [
        await open({ schema, ...config }, options),
        await open({ schema, ...config }, options),
        await open({ schema, ...config }, options),
      ];
      const outcomes = { created: 0, refused: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const id = `c${round}`;
        const expectation = await expectationOf(reader, id);
        const create = () =>
          creator.appendMessages(id, hello, { userId: "u" }, { ...expectation, idempotencyKey: "k" });
        const erasedFirst = round % 2 === 0 ? undefined : erase(eraser, id);
        const [created, erased] = await Promise.all([create(), erasedFirst ?? erase(eraser, id)]);
        expect(erased).toMatchObject(done);
        expect(created).toMatchObject(created.success ? done : refused);
        outcomes[created.success ? "created" : "refused"] += 1;
        expect(await isThere(reader, id)).toBe(false);
      }
      expect(outcomes.created + outcomes.refused).toBe(ROUNDS);
    },
  );
});

describe.each(erasures)("a transaction of the application", (how, erase) => {
  const inTransaction = async (
    schema: string,
    use: (provider: PostgresProvider, client: pg.Client) => Promise<void>,
  ) =>
    useClient(async (client) => {
      const provider = await createPostgresProvider({ schema }, client);
      await client.query("BEGIN");
      await use(provider, client);
    });

  it(`that has created a conversation is waited for before it is ${how}`, async () => {
    const schema = schemaOf();
    const other = await open({ schema });
    const expectation = await expectationOf(other, "c");
    await inTransaction(schema, async (provider, client) => {
      expect(await provider.appendMessages("c", hello, { userId: "u" }, expectation)).toMatchObject(done);
      const erased = erase(other, "c");
      await expect(Promise.race([erased, isThere(other, "elsewhere")])).resolves.toBe(false);
      await client.query("COMMIT");
      expect(await erased).toMatchObject(done);
    });
    expect(await isThere(other, "c")).toBe(false);
  });

  it.each([
    ["COMMIT", refused],
    ["ROLLBACK", done],
  ])(`in which it is ${how} is waited for by a creation, up to its %s`, async (end, outcome) => {
    const schema = schemaOf();
    const other = await open({ schema });
    const expectation = await expectationOf(other, "c");
    await inTransaction(schema, async (provider, client) => {
      expect(await erase(provider, "c")).toMatchObject(done);
      const created = other.appendMessages("c", hello, { userId: "u" }, expectation);
      const elsewhere = other.appendMessages("d", hello, { userId: "another" }, { createIfMissing: true });
      await expect(Promise.race([created, elsewhere.then(() => "first")])).resolves.toBe("first");
      await client.query(end);
      expect(await created).toMatchObject(outcome);
    });
  });

  it(`that reads no later than its first statement learns that it was ${how} since`, async () => {
    const schema = schemaOf();
    const other = await open({ schema });
    const expectation = await expectationOf(other, "c");
    await useClient(async (client) => {
      const provider = await createPostgresProvider({ schema }, client);
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await provider.getConversation("another");
      await erase(other, "c");
      expect(await provider.appendMessages("c", hello, { userId: "u" }, expectation)).toMatchObject({
        error: { retryable: true, cause: { code: "40001" } },
      });
      await client.query("ROLLBACK");
      expect(await provider.appendMessages("c", hello, { userId: "u" }, expectation)).toMatchObject(refused);
    });
  });
});

it("a deletion fails if its transaction doesn't see the conversation yet, rather than leaving it", async () => {
  const schema = schemaOf();
  const other = await open({ schema });
  await useClient(async (client) => {
    const provider = await createPostgresProvider({ schema }, client);
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await provider.getConversation("c");
    await other.storeMessages("c", hello);
    expect(await provider.deleteConversation("c")).toMatchObject({
      error: { retryable: true, cause: { code: "40001" } },
    });
    await client.query("ROLLBACK");
    expect(await provider.deleteConversation("c")).toMatchObject({ data: true });
  });
});

it("concurrent deletions, clearings, creations and appends of the same few conversations all finish", async () => {
  const schema = schemaOf();
  const providers = [await open({ schema }), await open({ schema }), await open({ schema })];
  const results = await Promise.all(
    Array.from({ length: 600 }, (_, index) => {
      const provider = providers[index % 3] as PostgresProvider;
      const id = `c${index % 5}`;
      if (index % 11 === 3) return provider.deleteConversation(id);
      if (index % 17 === 5) return provider.clearUserConversations("u");
      const expectedIncarnation = index % 4 === 0 ? "none::" : undefined;
      return provider.appendMessages(
        id,
        hello,
        { userId: "u" },
        {
          createIfMissing: true,
          ...(index % 7 === 0 ? { ttlSeconds: 1 } : {}),
          ...(expectedIncarnation && { expectedIncarnation }),
        },
      );
    }),
  );
  const failed = results.filter((result) => !result.success && result.error._tag !== "MemoryConflictError");
  expect(failed).toEqual([]);
});

describe("a tombstone", () => {
  const tombstones = async (schema: string) =>
    (await runSql(`SELECT key, expires_at FROM "${schema}".conversations_tombstones ORDER BY key`)).rows;

  it("has the contract's name, for any id", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    const ids = ["c", "%", "\u{1F600} ü", " ", "none::", "x".repeat(255), "\ufeffbom", "\\"];
    for (const id of ids) await provider.deleteConversation(id);
    for (const id of ids) await provider.clearUserConversations(id);
    const keys = ids.flatMap((id) => [tombstoneKey("conversation", id), tombstoneKey("user", id)]);
    expect((await tombstones(schema)).map(({ key }) => key)).toEqual(keys.sort());
  });

  it("stays for 24 hours, and each erasure renews it", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await provider.deleteConversation("c");
    const [first] = await tombstones(schema);
    const left = first.expires_at.getTime() - Date.now();
    expect(Math.abs(left - TOMBSTONE_SECONDS * 1_000)).toBeLessThan(10_000);
    const before = await expectationOf(provider, "c");
    await provider.deleteConversation("c");
    expect(await tombstones(schema)).toHaveLength(1);
    expect(await provider.appendMessages("c", hello, { userId: "u" }, before)).toMatchObject(refused);
  });

  it("is left for each conversation of a cleared user, but not for those that a policy removes", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    for (const id of ["a", "b"]) await provider.storeMessages(id, hello, { userId: "u" });
    await provider.storeMessages("old", hello);
    await provider.storeMessages("expired", hello);
    await runSql(`UPDATE "${schema}".conversations SET last_activity = now() - interval '9 days' WHERE conversation_id = 'old';
      UPDATE "${schema}".conversations SET expires_at = now() WHERE conversation_id = 'expired'`);
    expect(await provider.cleanupOldConversations(7)).toMatchObject({ data: 1 });
    expect(await tombstones(schema)).toEqual([]);
    expect(await provider.clearUserConversations("u")).toMatchObject({ data: 2 });
    const keys = [
      tombstoneKey("user", "u"),
      tombstoneKey("conversation", "a"),
      tombstoneKey("conversation", "b"),
    ];
    expect((await tombstones(schema)).map(({ key }) => key)).toEqual(keys.sort());
  });

  it("has no effect after it has expired, and is removed by the maintenance", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    const before = await expectationOf(provider, "c");
    await provider.deleteConversation("c");
    await runSql(`UPDATE "${schema}".conversations_tombstones SET expires_at = now();
      INSERT INTO "${schema}".conversations_tombstones
      SELECT 'k' || n, gen_random_uuid(), now() FROM generate_series(1, 2500) AS n`);
    expect(await provider.appendMessages("c", hello, { userId: "u" }, before)).toMatchObject(done);
    expect(await provider.purgeExpired()).toMatchObject({ data: 0 });
    expect(await tombstones(schema)).toEqual([]);
  });

  it("refuses nothing if it was seen and has expired since", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await provider.deleteConversation("c");
    await provider.clearUserConversations("u");
    const seen = await expectationOf(provider, "c");
    await runSql(`UPDATE "${schema}".conversations_tombstones SET expires_at = now()`);
    expect(await provider.appendMessages("c", hello, { userId: "u" }, seen)).toMatchObject(done);
  });

  it("is removed by later erasures after it has expired, so expired ones don't pile up", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await runSql(`INSERT INTO "${schema}".conversations_tombstones
      SELECT 'k' || n, gen_random_uuid(), now() FROM generate_series(1, 2500) AS n`);
    for (let count = 0; count < 15; count++) await provider.deleteConversation(`c${count}`);
    expect(await tombstones(schema)).toHaveLength(15);
  });
});

describe("a role without a right to the tombstones", () => {
  it("can write and read, but erases nothing without a tombstone", async () => {
    const schema = schemaOf();
    const role = freshSchema();
    await (await open({ schema })).storeMessages("c", hello);
    await runSql(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".conversations, "${schema}".conversations_messages,
        "${schema}".conversations_traces, "${schema}".conversations_keys TO ${role};
      GRANT SELECT ON "${schema}".conversations_migrations TO ${role}`);
    await useClient(async (client) => {
      await client.query(`SET ROLE ${role}`);
      const provider = await createPostgresProvider({ schema }, client);
      expect(await provider.storeMessages("d", hello)).toMatchObject(done);
      expect(await provider.appendMessages("c", hello)).toMatchObject(done);
      expect(await provider.deleteConversation("c")).toMatchObject({ error: { cause: { code: "42501" } } });
      expect(await isThere(provider, "c")).toBe(true);
    });
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});
