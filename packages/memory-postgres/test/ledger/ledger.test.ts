import { describeLedgerConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresLedger } from "../../src/index.ts";
import { ageIn, queryOn } from "../support/ledger.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const schemas: string[] = [];
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 5 });

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

describeLedgerConformance({
  name: "postgres, a pool",
  createLedger: async () => {
    const schema = freshSchema();
    schemas.push(schema);
    const connect = () => createPostgresLedger({ schema }, pool);
    return { ledger: await connect(), connect, age: ageIn(schema, queryOn(pool)), dispose: async () => {} };
  },
});

describe("the tables of a ledger", () => {
  const call = { userId: "user-to-erase", agentName: "agent", model: "model", calls: 1, cost: 1 };

  async function open(config: { readonly retentionDays?: number } = {}) {
    const schema = freshSchema();
    schemas.push(schema);
    const connect = () => createPostgresLedger({ schema, ...config }, pool);
    const count = async (table: string) =>
      Number((await pool.query(`SELECT count(*) FROM "${schema}".conversations_${table}`)).rows[0].count);
    return { ledger: await connect(), connect, age: ageIn(schema, queryOn(pool)), count, schema };
  }

  it("have nothing of an erased user", async () => {
    const { ledger, schema, age } = await open();
    await ledger.record([call, { ...call, tenantId: "t", tool: "search" }]);
    await age(40);
    await ledger.record([call]);
    expect(await ledger.eraseUser("user-to-erase")).toEqual({ success: true, data: 3 });
    for (const table of ["ledger", "ledger_totals"]) {
      const { rows } = await pool.query(
        `SELECT one::text AS row FROM "${schema}".conversations_${table} AS one`,
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { row } of rows) expect(row).not.toContain("user-to-erase");
    }
  });

  it("lose sums that are older than retentionDays, and the totals of past months", async () => {
    const { ledger, connect, age, count } = await open({ retentionDays: 50 });
    await ledger.record(Array.from({ length: 1_005 }, (_, at) => ({ ...call, tool: `tool-${at}` })));
    await age(50);
    await (await connect()).record([call]);
    expect([await count("ledger"), await count("ledger_totals")]).toEqual([1_006, 4]);
    await age(1);
    const later = await connect();
    await later.record([call]);
    expect(await count("ledger"), "a sweep removes 1,000").toBe(7);
    await later.record([call]);
    expect(await count("ledger")).toBe(2);
  });

  it("count calls in a transaction of the application only if it is committed", async () => {
    const { ledger, schema } = await open();
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    const own = await createPostgresLedger({ schema }, client);
    const everyone = [{ of: "everyone", period: "day" }] as const;
    for (const [end, calls] of [
      ["ROLLBACK", 0],
      ["COMMIT", 1],
    ] as const) {
      await client.query("BEGIN");
      expect(await own.record([call])).toMatchObject({ success: true });
      await client.query(end);
      expect(await ledger.amounts(everyone)).toMatchObject({ data: [{ calls }] });
    }
    await client.end();
  });
});
