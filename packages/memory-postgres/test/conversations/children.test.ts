import type { Message, ParentConversation } from "@jaf/memory";
import { TOMBSTONE_SECONDS, tombstoneKey } from "@jaf/memory/adapter";
import pg from "pg";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { createPostgresProvider, type PostgresConfig, type PostgresProvider } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

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

/** Opens a provider on its own pool. `options` are those of the connections. */
async function open(config: PostgresConfig, options = ""): Promise<PostgresProvider> {
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4, options });
  pools.push(pool);
  return createPostgresProvider(config, pool);
}

const hello: readonly Message[] = [{ role: "user", content: "hello" }];
const refused = { error: { _tag: "MemoryConflictError", reason: "incarnation" } };
const tooLate = { error: { retryable: true, cause: { code: "40001" } } };
const done = { success: true };

async function parentOf(provider: PostgresProvider, conversationId: string): Promise<ParentConversation> {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  if (!read.success) throw new Error(read.error.message);
  return { conversationId, incarnation: read.data.incarnation };
}

const create = (provider: PostgresProvider, id: string, childOf: ParentConversation, userId = "u") =>
  provider.appendMessages(id, hello, { userId, traceId: "t" }, { createIfMissing: true, childOf });

/** Stores the conversation `p` with the child `c` and the grandchild `g`, and the unrelated `other`. */
async function storeFamily(provider: PostgresProvider): Promise<void> {
  for (const id of ["p", "other"])
    await provider.appendMessages(id, hello, { userId: "u" }, { createIfMissing: true });
  expect(await create(provider, "c", await parentOf(provider, "p"))).toMatchObject(done);
  expect(await create(provider, "g", await parentOf(provider, "c"))).toMatchObject(done);
}

const idsIn = async (schema: string, table = "conversations"): Promise<readonly string[]> =>
  (await runSql(`SELECT DISTINCT conversation_id AS id FROM "${schema}".${table} ORDER BY 1`)).rows.map(
    ({ id }) => id,
  );

const layouts: readonly (readonly [string, { readonly partitions?: number }])[] = [
  ["in one piece", {}],
  ["in partitions", { partitions: 3 }],
];

describe.each(layouts)("children by SQL by hand, in tables %s", (_name, layout) => {
  it("are deleted with their parent, with a tombstone each", async () => {
    const schema = schemaOf();
    await storeFamily(await open({ schema, ...layout }));
    await runSql(`DELETE FROM "${schema}".conversations WHERE conversation_id = 'p'`);
    expect(await idsIn(schema)).toEqual(["other"]);
    expect(await idsIn(schema, "conversations_messages")).toEqual(["other"]);
    expect(await idsIn(schema, "conversations_traces")).toEqual([]);
    const { rows } = await runSql(`SELECT key, round(extract(epoch FROM expires_at - now()))::int AS seconds
      FROM "${schema}".conversations_tombstones`);
    const keys = ["c", "g"].map((id) => tombstoneKey("conversation", id));
    expect(rows.map(({ key }) => key).sort()).toEqual(keys.sort());
    for (const { seconds } of rows) expect(Math.abs(seconds - TOMBSTONE_SECONDS)).toBeLessThan(10);
  });

  it("that a deletion without triggers left are removed when a new conversation gets the id", async () => {
    const schema = schemaOf();
    const provider = await open({ schema, ...layout });
    await storeFamily(provider);
    await runSql(`SET session_replication_role = replica;
      DELETE FROM "${schema}".conversations WHERE conversation_id = 'p'`);
    expect(await provider.findConversations({ childrenOf: "p" })).toMatchObject({ data: [] });
    await provider.appendMessages("p", hello, { userId: "v" }, { createIfMissing: true });
    expect(await provider.findConversations({ childrenOf: "p" })).toMatchObject({ data: [] });
    expect(await idsIn(schema)).toEqual(["other", "p"]);
  });
});

it("children are deleted if the partition of their parent is truncated", async () => {
  const schema = schemaOf();
  const provider = await open({ schema, partitions: 2 });
  await provider.appendMessages("p", hello, { userId: "u" }, { createIfMissing: true });
  const childOf = await parentOf(provider, "p");
  for (let index = 0; index < 10; index++) await create(provider, `c${index}`, childOf);
  const { rows } = await runSql(
    `SELECT tableoid::regclass::text AS part FROM "${schema}".conversations WHERE conversation_id = 'p'`,
  );
  await runSql(`TRUNCATE ${rows[0].part}`);
  expect(await idsIn(schema)).toEqual([]);
  expect(await idsIn(schema, "conversations_messages")).toEqual([]);
});

it("children are deleted where row-level security is forced on the owner of the conversations", async () => {
  const [schema, role] = [schemaOf(), freshSchema()];
  await runSql(`CREATE ROLE ${role}; CREATE SCHEMA "${schema}" AUTHORIZATION ${role}`);
  await useClient(async (client) => {
    await client.query(`SET ROLE ${role}`);
    const provider = await createPostgresProvider({ schema }, client);
    await storeFamily(provider);
    await client.query(`ALTER TABLE "${schema}".conversations ENABLE ROW LEVEL SECURITY;
      ALTER TABLE "${schema}".conversations FORCE ROW LEVEL SECURITY;
      CREATE POLICY own ON "${schema}".conversations USING (user_id = 'u')`);
    expect(await provider.deleteConversation("p")).toMatchObject({ data: true });
  });
  expect(await idsIn(schema)).toEqual(["other"]);
  await dropSchemas([schema]);
  await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

const ROUNDS = 25;
const WRITERS = 6;

const erasures: readonly (readonly [string, (provider: PostgresProvider, id: string) => Promise<unknown>])[] =
  [
    ["deleted", (provider, id) => provider.deleteConversation(id)],
    ["cleared with its user", (provider) => provider.clearUserConversations("u")],
    ["deleted by hand", (_provider, _id) => Promise.resolve(done)],
  ];

const places: readonly (readonly [string, { readonly partitions?: number }, string])[] = [
  ["a pool", {}, ""],
  ["a pool, in partitions", { partitions: 2 }, ""],
  ["a pool that is repeatable read", {}, "-c default_transaction_isolation=repeatable\\ read"],
];

describe.each(places)("on %s", (_name, layout, options) => {
  it.each(erasures)("no child is left of a parent that is %s meanwhile", async (how, erase) => {
    const schema = schemaOf();
    const provider = await open({ schema, ...layout }, options);
    const others = [await open({ schema, ...layout }, options), await open({ schema, ...layout }, options)];
    const outcomes = { created: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const id = `p${round}`;
      await provider.appendMessages(id, hello, { userId: "u" }, { createIfMissing: true });
      const childOf = await parentOf(provider, id);
      const eraseNow = async (): Promise<unknown> =>
        how === "deleted by hand"
          ? runSql(`DELETE FROM "${schema}".conversations WHERE conversation_id = '${id}'`)
          : erase(provider, id);
      const write = async (writer: number) => {
        const other = others[writer % 2] as PostgresProvider;
        const result = await create(other, `${id}/${writer}`, childOf);
        // A creation in repeatable read fails if its parent has changed since its snapshot.
        if (!result.success && !result.error.retryable) expect(result).toMatchObject(refused);
        outcomes[result.success ? "created" : "refused"] += 1;
        if (result.success)
          await create(other, `${id}/${writer}/0`, await parentOf(other, `${id}/${writer}`));
      };
      await Promise.all([
        ...Array.from({ length: WRITERS / 2 }, (_, writer) => write(writer)),
        eraseNow(),
        ...Array.from({ length: WRITERS / 2 }, (_, writer) => write(WRITERS / 2 + writer)),
      ]);
      // In repeatable read, a deletion that is older than a child fails, and is repeated.
      await provider.deleteConversation(id);
      expect(await idsIn(schema)).toEqual([]);
    }
    expect(outcomes.created + outcomes.refused).toBe(ROUNDS * WRITERS);
  });
});

describe("a transaction of the application", () => {
  it("that has created a child is waited for before its parent is deleted", async () => {
    const schema = schemaOf();
    const other = await open({ schema });
    await storeFamily(other);
    const childOf = await parentOf(other, "p");
    await useClient(async (client) => {
      const provider = await createPostgresProvider({ schema }, client);
      await client.query("BEGIN");
      expect(await create(provider, "new", childOf)).toMatchObject(done);
      const deleted = other.deleteConversation("p");
      const elsewhere = other.getConversation("other").then(() => "first");
      await expect(Promise.race([deleted, elsewhere])).resolves.toBe("first");
      await client.query("COMMIT");
      expect(await deleted).toMatchObject({ data: true });
    });
    expect(await idsIn(schema)).toEqual(["other"]);
  });

  it.each([
    ["COMMIT", refused],
    ["ROLLBACK", done],
  ])(
    "in which a parent is deleted is waited for by the creation of a child, up to its %s",
    async (end, outcome) => {
      const schema = schemaOf();
      const other = await open({ schema });
      await storeFamily(other);
      const childOf = await parentOf(other, "c");
      await useClient(async (client) => {
        const provider = await createPostgresProvider({ schema }, client);
        await client.query("BEGIN");
        expect(await provider.deleteConversation("p")).toMatchObject({ data: true });
        const created = create(other, "new", childOf);
        const elsewhere = other.appendMessages("other", hello).then(() => "first");
        await expect(Promise.race([created, elsewhere])).resolves.toBe("first");
        await client.query(end);
        expect(await created).toMatchObject(outcome);
      });
    },
  );

  it.each(["p", "c"])(
    "that is older than a child can't delete its parent, and leaves nothing then: %s",
    async (id) => {
      const schema = schemaOf();
      const other = await open({ schema });
      await storeFamily(other);
      await useClient(async (client) => {
        const provider = await createPostgresProvider({ schema }, client);
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        await provider.getConversation("other");
        expect(await create(other, "new", await parentOf(other, id))).toMatchObject(done);
        expect(await provider.deleteConversation("p")).toMatchObject(tooLate);
        await client.query("ROLLBACK");
        expect(await provider.deleteConversation("p")).toMatchObject({ data: true });
      });
      expect(await idsIn(schema)).toEqual(["other"]);
    },
  );
});

it("concurrent creations, deletions and clearings of the same few families all finish", async () => {
  const schema = schemaOf();
  const providers = [await open({ schema }), await open({ schema }), await open({ schema })];
  const results = await Promise.all(
    Array.from({ length: 600 }, async (_, index) => {
      const provider = providers[index % 3] as PostgresProvider;
      const id = `c${index % 5}`;
      if (index % 11 === 3) return provider.deleteConversation(id);
      if (index % 29 === 5) return provider.clearUserConversations("u");
      if (index % 37 === 7) return provider.purgeExpired();
      const options = { createIfMissing: true, ...(index % 7 === 0 ? { ttlSeconds: 1 } : {}) };
      if (index % 3 === 0) return provider.appendMessages(id, hello, { userId: "u" }, options);
      const childOf = await parentOf(provider, `c${(index * 3 + 1) % 5}`);
      return provider.appendMessages(id, hello, { userId: "u" }, { ...options, childOf });
    }),
  );
  const failed = results.filter((result) => !result.success && result.error._tag !== "MemoryConflictError");
  expect(failed).toEqual([]);
  const orphans = `SELECT conversation_id FROM "${schema}".conversations AS child WHERE parent_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM "${schema}".conversations AS parent WHERE parent.conversation_id = child.parent_id)`;
  expect((await runSql(orphans)).rows).toEqual([]);
});

describe("the maintenance", () => {
  const age = (schema: string, ids: string, days: number) =>
    runSql(`UPDATE "${schema}".conversations SET last_activity = now() - interval '${days} days'
      WHERE conversation_id IN (${ids})`);

  it("removes old children with their parent, and not before it", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await storeFamily(provider);
    await age(schema, "'c', 'g'", 9);
    expect(await provider.cleanupOldConversations(7)).toMatchObject({ data: 0 });
    expect(await idsIn(schema)).toEqual(["c", "g", "other", "p"]);
    await age(schema, "'p'", 9);
    await provider.appendMessages("g", hello);
    expect(await provider.cleanupOldConversations(7)).toMatchObject({ data: 1 });
    expect(await idsIn(schema)).toEqual(["other"]);
  });

  it("removes the children of an expired parent, and counts conversations without children", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await storeFamily(provider);
    await runSql(
      `UPDATE "${schema}".conversations SET expires_at = now() WHERE conversation_id IN ('p', 'g')`,
    );
    expect(await provider.purgeExpired()).toMatchObject({ data: 1 });
    expect(await idsIn(schema)).toEqual(["other"]);
  });

  it("leaves children out of its figures and of the view", async () => {
    const schema = schemaOf();
    const provider = await open({ schema });
    await storeFamily(provider);
    expect(await provider.getAnalytics("u")).toMatchObject({
      data: { totalConversations: 2, totalMessages: 2 },
    });
    expect(await provider.getAnalytics()).toMatchObject({ data: { totalConversations: 2 } });
    expect(await idsIn(schema, "conversations_with_messages")).toEqual(["other", "p"]);
  });
});
