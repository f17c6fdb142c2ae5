import { MemorySetupError } from "@jaf/memory";
import { defineUserMemory } from "@jaf/user-memory";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import {
  createPostgresUserMemory,
  createPostgresUserMemoryBackend,
  printMigrations,
} from "../../src/user-memory/index.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

afterAll(() => dropSchemas(schemas));

describe("the configuration", () => {
  it.each([
    ["tableName", { tableName: 'x"; DROP TABLE y; --' }],
    ["tableName", { tableName: "t".repeat(41) }],
    ["schema", { schema: "pg_catalog" }],
    ["maxConnections", { maxConnections: 0 }],
    ["connectionString", { connectionString: "mysql://s3cret@host" }],
    ["expected it in the field connectionString", { url: "postgres://s3cret@host" }],
    ["pgvector", { pgvector: "yes" }],
    ["auditKey", { auditKey: "short" }],
    ["limits.maxFacts", { limits: { maxFacts: 0 } }],
    ["embed", { embed: "s3cret" }],
    ["partitions", { partitions: 4 }],
  ])("is a TypeError that names %s without a value if it is wrong", async (field, config) => {
    const thrown = await createPostgresUserMemory(config as never).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(TypeError);
    expect(String(thrown)).toContain(field);
    expect(String(thrown)).not.toContain("s3cret");
  });

  it("of the tables is also checked in a migration", () => {
    expect(() => printMigrations({ tableName: "a b" })).toThrow(/tableName/);
    expect(() => printMigrations({ table: "x" } as never)).toThrow(TypeError);
  });
});

it("an instance of a class as a configuration has its methods called on it", async () => {
  class Config {
    readonly connectionString = inject("pgUrl");
    readonly schema = schemaOf();
    readonly embedded: string[] = [];

    async embed(texts: readonly string[]) {
      this.embedded.push(...texts);
      return texts.map(() => [1, 0]);
    }
  }
  const config = new Config();
  const memory = await createPostgresUserMemory(config);
  await memory.remember("u", "Likes tea");
  expect(config.embedded).toEqual(["Likes tea"]);
  await memory.close();
});

describe("the raw backend", () => {
  it("supports the store, on its own pool or on a given client", async () => {
    const [connectionString, schema] = [inject("pgUrl"), schemaOf()];
    const own = defineUserMemory(await createPostgresUserMemoryBackend({ connectionString, schema }));
    const fact = await own.remember("u", "Likes tea");
    await own.close();
    await expect(own.list("u")).rejects.toMatchObject({ code: "unavailable", retryable: false });
    const client = new pg.Client({ connectionString });
    await client.connect();
    const given = defineUserMemory(await createPostgresUserMemoryBackend({ schema }, client));
    expect(await given.list("u")).toEqual([fact]);
    await given.close();
    expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  it.each([
    ["tableName", { tableName: "a b" }],
    ["expected it in the field connectionString", { url: "postgres://s3cret@host" }],
    ["pgvector", { pgvector: "yes" }],
    ["embed", { embed: async () => [] }],
  ])("refuses a wrong %s before it connects", async (field, config) => {
    const created = createPostgresUserMemoryBackend({ ...config, port: 1 } as never);
    await expect(created).rejects.toThrow(TypeError);
    await expect(created).rejects.toThrow(field);
  });

  it("rejects with a MemorySetupError that names it if no server listens", async () => {
    const created = createPostgresUserMemoryBackend({ host: "127.0.0.1", port: 1 });
    await expect(created).rejects.toMatchObject({
      ...{ name: "MemorySetupError", error: { operation: "createPostgresUserMemoryBackend" } },
    });
  });
});

describe("without a client", () => {
  it("opens its own pool, and closes it", async () => {
    const name = freshSchema();
    const connectionString = `${inject("pgUrl")}?application_name=${name}`;
    const config = { connectionString, schema: schemaOf(), maxConnections: 3 };
    const memory = await createPostgresUserMemory(config);
    await Promise.all(Array.from({ length: 12 }, (_, index) => memory.remember(`u${index}`, "Likes tea")));
    const count = `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = '${name}'`;
    expect((await runSql(count)).rows[0].count).toBeLessThanOrEqual(3);
    await memory.close();
    await expect.poll(async () => (await runSql(count)).rows[0].count).toBe(0);
    await expect(memory.list("u1")).rejects.toMatchObject({ code: "unavailable", retryable: false });
  });

  it("rejects with a MemorySetupError if no server listens", async () => {
    const created = createPostgresUserMemory({ host: "127.0.0.1", port: 1, password: "s3cret" });
    const thrown = await created.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MemorySetupError);
    expect(thrown).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain("s3cret");
  });
});
