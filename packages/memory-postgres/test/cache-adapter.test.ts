import { describeCacheAdapterConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { createPostgresCacheAdapter, createPostgresProvider } from "../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "./support/stores.ts";

const schemas: string[] = [];
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5 });

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

describeCacheAdapterConformance({
  name: "postgres, a pool",
  createCache: async () => {
    const schema = schemaOf();
    const connect = () => createPostgresCacheAdapter({ schema }, pool);
    return { cache: await connect(), connect, dispose: async () => {} };
  },
});

describe("a cache in Postgres", () => {
  const keysIn = async (schema: string): Promise<readonly string[]> => {
    const { rows } = await runSql(`SELECT key FROM "${schema}".conversations_cache ORDER BY key`);
    return rows.map(({ key }) => String(key));
  };
  const end = (schema: string) => runSql(`UPDATE "${schema}".conversations_cache SET expires_at = 1`);

  it("removes expired values in parts as it writes, but not for a refused claim", async () => {
    const schema = schemaOf();
    const cache = await createPostgresCacheAdapter({ schema }, pool);
    for (let at = 0; at < 30; at++) await cache.set(`ended${at}`, "v", { ttlSeconds: 100 });
    await end(schema);
    await cache.set("taken", "v", { ttlSeconds: 100 });
    expect(await keysIn(schema)).toHaveLength(11);
    await cache.setIfAbsent("taken", "v", { ttlSeconds: 100 });
    expect(await keysIn(schema)).toHaveLength(11);
    await cache.setIfAbsent("free", "v", { ttlSeconds: 100 });
    expect(await keysIn(schema)).toEqual(["free", "taken"]);
  });

  it("doesn't wait for a concurrent write of expired values", async () => {
    const schema = schemaOf();
    const cache = await createPostgresCacheAdapter({ schema }, pool);
    await cache.set("ended", "v", { ttlSeconds: 100 });
    await end(schema);
    await useClient(async (client) => {
      const other = await createPostgresCacheAdapter({ schema }, client);
      await client.query("BEGIN");
      await other.set("ended", "new", { ttlSeconds: 100 });
      await cache.set("k", "v", { ttlSeconds: 100 });
      await client.query("COMMIT");
    });
    expect(await cache.get("ended")).toBe("new");
  });

  it("accepts many concurrent writes of expiring values without a deadlock", async () => {
    const schema = schemaOf();
    const cache = await createPostgresCacheAdapter({ schema }, pool);
    const keys = Array.from({ length: 8 }, (_, at) => `k${at}`);
    for (let round = 0; round < 20; round++) {
      const writing = [...keys, ...keys.toReversed()].map((key) => cache.set(key, "v", { ttlSeconds: 100 }));
      await Promise.all([...writing, end(schema)]);
    }
  });

  it("is part of the application's transaction on a client, and removes nothing in it", async () => {
    const schema = schemaOf();
    const cache = await createPostgresCacheAdapter({ schema }, pool);
    await cache.set("ended", "v", { ttlSeconds: 100 });
    await end(schema);
    await useClient(async (client) => {
      const inTransaction = await createPostgresCacheAdapter({ schema }, client);
      await client.query("BEGIN");
      expect(await inTransaction.setIfAbsent("k", "v", { ttlSeconds: 100 })).toBe(true);
      await client.query("ROLLBACK");
    });
    expect(await keysIn(schema)).toEqual(["ended"]);
  });

  it("can share a schema and a prefix with conversations", async () => {
    const schema = schemaOf();
    const provider = await createPostgresProvider({ schema, partitions: 2 }, pool);
    onTestFinished(async () => void (await provider.close()));
    const cache = await createPostgresCacheAdapter({ schema }, pool);
    await cache.set("k", "v", { ttlSeconds: 100 });
    expect(await provider.getConversation("k")).toMatchObject({ success: true, data: null });
  });
});
