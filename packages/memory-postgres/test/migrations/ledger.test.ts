import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresLedger, createPostgresProvider, migrate, printMigrations } from "../../src/index.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

const groups = ["ledger"] as const;

afterAll(() => dropSchemas(schemas));

describe("the migrations of a ledger", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./ledger.schema.txt");
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("run once if 8 ledgers are created at the same time", async () => {
    const schema = schemaOf();
    const create = () => useClient(async (client) => void (await createPostgresLedger({ schema }, client)));
    await Promise.all(Array.from({ length: 8 }, create));
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_ledger_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }]);
  });

  it("can share a schema and a prefix with partitioned conversations, in either order", async () => {
    for (const both of [["conversations", "ledger"] as const, ["ledger", "conversations"] as const]) {
      const tables = { schema: schemaOf(), tableName: "shared", partitions: 2 };
      await useClient(async (client) => {
        await migrate(client, { ...tables, groups: both });
        await createPostgresProvider({ ...tables, migrate: false }, client);
        await createPostgresLedger({ ...tables, migrate: false }, client);
      });
    }
  });

  it("are required by the error if the ledger must not run them, and a missing table is reported", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createPostgresLedger({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\).* with `groups: \["ledger"\]`/);
      await migrate(client, { schema, groups });
      await client.query(`DROP TABLE "${schema}".conversations_ledger`);
      await expect(createPostgresLedger({ schema }, client)).rejects.toThrow(/some of the tables are gone/);
    });
  });

  it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
    "support a schema named %s",
    async (schema) => {
      await useSchemaNamed(schema, async (client) => {
        const ledger = await createPostgresLedger({ schema }, client);
        const recorded = await ledger.record([{ userId: "u", agentName: "agent", model: "model", cost: 1 }]);
        expect(recorded).toMatchObject({ success: true });
        expect(await ledger.eraseUser("u")).toEqual({ success: true, data: 1 });
      });
    },
  );
});
