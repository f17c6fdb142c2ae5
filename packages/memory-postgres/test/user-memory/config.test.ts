import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresUserMemory, printMigrations } from "../../src/user-memory/index.ts";
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
    ["pgvector", { pgvector: "yes" }],
    ["auditKey", { auditKey: "short" }],
    ["limits.maxFacts", { limits: { maxFacts: 0 } }],
    ["embed", { embed: "s3cret" }],
    ["partitions", { partitions: 4 }],
  ])("that is wrong is a TypeError that names %s, and tells no value", async (field, config) => {
    const thrown = await createPostgresUserMemory(config as never).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(TypeError);
    expect(String(thrown)).toContain(field);
    expect(String(thrown)).not.toContain("s3cret");
  });

  it("of the tables is checked where they are migrated, too", () => {
    expect(() => printMigrations({ tableName: "a b" })).toThrow(/tableName/);
    expect(() => printMigrations({ table: "x" } as never)).toThrow(TypeError);
  });
});

describe("without a client", () => {
  it("opens a pool of its own, and closes it", async () => {
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

  it("is a MemorySetupError where nothing listens", async () => {
    const created = createPostgresUserMemory({ host: "127.0.0.1", port: 1, password: "s3cret" });
    const thrown = await created.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MemorySetupError);
    expect(thrown).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain("s3cret");
  });
});
