import { type MemoryProvider, type Message, withRetry } from "@jaf/memory";
import pg from "pg";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import type { PostgresConfig } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const pools: pg.Pool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(() => dropSchemas(schemas));

const schemaOf = (name = freshSchema()): string => {
  schemas.push(name);
  return name;
};

interface Options extends PostgresConfig {
  readonly port?: number;
  readonly connections?: number;
}

/** Opens a provider on a pool. */
async function open({ port, connections = 10, schema = schemaOf(), ...config }: Options = {}) {
  const url = new URL(inject("pgUrl"));
  if (port !== undefined) url.port = String(port);
  const pool = new pg.Pool({ connectionString: url.href, max: connections });
  pool.on("error", () => {});
  pools.push(pool);
  return { provider: await createProvider({ ...config, schema }, pool), schema };
}

const say = (content: string): readonly Message[] => [{ role: "user", content }];

const contents = async (provider: MemoryProvider, conversationId: string): Promise<readonly unknown[]> => {
  const result = await provider.getConversation(conversationId);
  if (!result.success) throw new Error(result.error.message);
  return result.data?.messages.map(({ content }) => content) ?? [];
};

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

async function create(provider: MemoryProvider, conversationIds: readonly string[]): Promise<void> {
  for (const id of conversationIds) await provider.appendMessages(id, say("first"));
}

describe("writes on a pool", () => {
  it("keep their batches whole and in order, with 200 concurrent writes to 20 conversations", async () => {
    const { provider, schema } = await open({
      schema: schemaOf(`${freshSchema()} "and" 'more'`),
      partitions: 3,
    });
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
  });

  it("continue in order after one of them fails, including a replacement", async () => {
    const { provider, schema } = await open();
    await create(provider, ids(1));
    await runSql(`ALTER TABLE "${schema}".conversations_messages ADD CHECK (body NOT LIKE '%refuse me%')`);
    const results = await Promise.all([
      provider.appendMessages("c0", say("refuse me")),
      provider.storeMessages("c0", say("new")),
      provider.appendMessages("c0", say("newer")),
    ]);
    expect(results).toMatchObject([
      { error: { _tag: "MemoryStorageError", cause: { code: "23514" } } },
      { success: true },
      { success: true },
    ]);
    expect(await contents(provider, "c0")).toEqual(["new", "newer"]);
  });

  it("have separate outcomes", async () => {
    const { provider } = await open();
    await create(provider, ids(6));
    await provider.appendMessages("c1", [], { userId: "owner" });
    await provider.appendMessages("c2", say("keyed"), { userId: "u" }, { idempotencyKey: "k" });
    const append = (at: number, content: string, userId = "u", options = {}) =>
      provider.appendMessages(`c${at}`, say(content), { userId }, options);
    const results = await Promise.all([
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
    expect(await contents(provider, "c2")).toEqual(["first", "keyed"]);
    expect(await contents(provider, "c4")).toEqual(["first", "good", "good again"]);
  });

  it("are answered by their known key, even if they expect the current version", async () => {
    const { provider } = await open();
    await create(provider, ids(1));
    await provider.appendMessages("c0", say("keyed"), { userId: "u" }, { idempotencyKey: "k" });
    const options = { idempotencyKey: "k", expectedVersion: 2 };
    const again = (content: string) => provider.appendMessages("c0", say(content), { userId: "u" }, options);
    expect(await Promise.all([again("keyed"), again("other")])).toMatchObject([
      { success: true },
      { error: { reason: "idempotency-key" } },
    ]);
    expect(await contents(provider, "c0")).toEqual(["first", "keyed"]);
  });

  it("to a locked conversation hold only one connection, while others continue", async () => {
    const { provider, schema } = await open({ connections: 2 });
    await create(provider, ids(8));
    await useClient(async (client) => {
      await client.query(
        `BEGIN; SELECT FROM "${schema}".conversations WHERE conversation_id = 'c0' FOR UPDATE`,
      );
      const locked = ["second", "third", "fourth"].map((text) => provider.appendMessages("c0", say(text)));
      const others = ids(8).slice(1);
      await Promise.all(others.map((id) => provider.appendMessages(id, say("second"))));
      for (const id of others) expect(await contents(provider, id)).toEqual(["first", "second"]);
      await client.query("COMMIT");
      expect(await Promise.all(locked)).toMatchObject(locked.map(() => ({ success: true })));
    });
    expect(await contents(provider, "c0")).toEqual(["first", "second", "third", "fourth"]);
  });

  it("store nothing twice if the connection breaks after one of them, and it is retried", async () => {
    // All ten may be in progress before the first cut.
    let sent = 0;
    const proxy = await startCutProxy(
      Number(new URL(inject("pgUrl")).port),
      (request) => request.includes("to be lost") && ++sent === 1,
    );
    const { provider } = await open({ port: proxy.port });
    await create(provider, ids(10));
    const patient = withRetry(provider);
    const results = await Promise.all(ids(10).map((id) => patient.appendMessages(id, say("to be lost"))));
    expect(results).toMatchObject(ids(10).map(() => ({ success: true, data: undefined })));
    expect(proxy.cuts()).toBe(1);
    for (const id of ids(10)) expect(await contents(provider, id)).toEqual(["first", "to be lost"]);
    await proxy.stop();
  });
});

describe("close", () => {
  it.each([
    ["many conversations", (at: number) => `c${at}`],
    ["one conversation", () => "c"],
  ])("waits for the appends to %s that still wait to be sent", async (_name, idOf) => {
    const schema = schemaOf();
    const connectionString = inject("pgUrl");
    const provider = await createProvider({ connectionString, schema, maxConnections: 2 });
    const appends = Array.from({ length: 200 }, (_, at) => provider.appendMessages(idOf(at), say("hi")));
    expect(await provider.close()).toEqual({ success: true, data: undefined });
    expect((await Promise.all(appends)).filter(({ success }) => !success)).toEqual([]);
  });
});

describe("on a client, which may be in a transaction of the application", () => {
  it("each append is a separate statement", () =>
    useClient(async (client) => {
      const schema = schemaOf();
      const provider = await createProvider({ schema }, client);
      await client.query("BEGIN");
      await Promise.all(ids(20).map((id) => provider.appendMessages(id, say("hi"))));
      await client.query("ROLLBACK");
      expect(await provider.getStats()).toMatchObject({ data: { totalConversations: 0 } });
    }));

  it("a known key doesn't abort the transaction", () =>
    useClient(async (client) => {
      const schema = schemaOf();
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
