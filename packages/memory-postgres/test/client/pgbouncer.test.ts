import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { carriesPreparedStatements, startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql } from "../support/stores.ts";

const carries = carriesPreparedStatements();

const modes: readonly (readonly [string, Readonly<Record<string, number>>])[] = [
  ["that knows no prepared statements", carries ? { max_prepared_statements: 0 } : {}],
  ...(carries ? ([["that carries them over", { max_prepared_statements: 200 }]] as const) : []),
];

if (!carries) it.skip("behind a PgBouncer that supports prepared statements (needs version 1.21)", () => {});

describe.each(modes)("behind a PgBouncer in transaction mode %s", (_, settings) => {
  let bouncer: RunningServer;
  const schemas: string[] = [];
  const schemaOf = (): string => {
    const schema = freshSchema();
    schemas.push(schema);
    return schema;
  };
  beforeAll(async () => {
    bouncer = await startPgBouncer(inject("pgUrl"), settings);
  });
  afterAll(async () => {
    await dropSchemas(schemas);
    await bouncer.stop();
  });

  it("migrates one empty schema from 8 pools at the same time", async () => {
    const schema = schemaOf();
    const providers = await Promise.all(
      Array.from({ length: 8 }, () => createProvider({ connectionString: bouncer.url, schema })),
    );
    const appends = providers.map((provider) =>
      provider.appendMessages("c", [{ role: "user", content: "hi" }]),
    );
    for (const result of await Promise.all(appends)) expect(result.success).toBe(true);
    await Promise.all(providers.map((provider) => provider.close()));
    const { rows } = await runSql(`SELECT version::int FROM "${schema}".conversations`);
    expect(rows).toEqual([{ version: 8 }]);
  });

  it("loses nothing if prepared statements reach other connections", async () => {
    const schema = schemaOf();
    const pools = [1, 2, 3].map(() => new pg.Pool({ connectionString: bouncer.url, max: 4 }));
    const providers = await Promise.all(pools.map((pool) => createProvider({ schema }, pool)));
    const results = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        providers[index % 3]?.appendMessages(`c${index % 5}`, [{ role: "user", content: `${index}` }]),
      ),
    );
    expect(results.filter((result) => !result?.success)).toEqual([]);
    expect(await providers[0]?.getStats()).toMatchObject({ data: { totalMessages: 120 } });
    expect(await providers[1]?.getRecentMessages("c0", 1)).toMatchObject({ success: true });
    await Promise.all(pools.map((pool) => pool.end()));
  });

  it("leaves nothing on the connections of others", async () => {
    const schema = schemaOf();
    const pool = new pg.Pool({ connectionString: bouncer.url, max: 10 });
    const before = await pool.query("SHOW search_path");
    await createProvider({ schema }, pool);
    const after = await Promise.all(Array.from({ length: 10 }, () => pool.query("SHOW search_path")));
    for (const { rows } of after) expect(rows).toEqual(before.rows);
    await pool.end();
  });
});
