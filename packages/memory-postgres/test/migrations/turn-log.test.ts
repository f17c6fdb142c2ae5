import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresProvider, createPostgresTurnLog, migrate, printMigrations } from "../../src/index.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";
import { beginTurn, eventsOf } from "../support/turn-log.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

const groups = ["turn-log"] as const;

afterAll(() => dropSchemas(schemas));

describe("the migrations of a turn log", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./turn-log.schema.txt");
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("run once if 8 logs are created at the same time", async () => {
    const schema = schemaOf();
    const create = () => useClient(async (client) => void (await createPostgresTurnLog({ schema }, client)));
    await Promise.all(Array.from({ length: 8 }, create));
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_turn_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }]);
  });

  it("are required by the error if the log must not run them, and a missing table is reported", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createPostgresTurnLog({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\).* with `groups: \["turn-log"\]`/);
      await migrate(client, { schema, groups });
      await createPostgresTurnLog({ schema, migrate: false }, client);
      await client.query(`DROP TABLE "${schema}".conversations_turn_events`);
      await expect(createPostgresTurnLog({ schema }, client)).rejects.toThrow(/some of the tables are gone/);
    });
  });

  it("support a name that makes the longest derived names as long as possible", async () => {
    const [schema, tableName] = [schemaOf(), "n".repeat(40)];
    await useClient(async (client) => {
      const log = await createPostgresTurnLog({ schema, tableName }, client);
      await beginTurn(log, { conversationId: "c" });
      await createPostgresTurnLog({ schema, tableName, migrate: false }, client);
    });
    const { rows } = await runSql(`SELECT indexname FROM pg_indexes WHERE schemaname = '${schema}'
      AND starts_with(indexname, 'idx_${tableName}_turns_')`);
    expect(rows).toHaveLength(5);
  });

  it("can share a schema and a prefix with partitioned conversations, in either order", async () => {
    for (const both of [["conversations", "turn-log"] as const, ["turn-log", "conversations"] as const]) {
      const tables = { schema: schemaOf(), tableName: "shared" };
      await useClient(async (client) => {
        await migrate(client, { ...tables, groups: both, partitions: 2 });
        await createPostgresProvider({ ...tables, migrate: false }, client);
        await createPostgresTurnLog({ ...tables, migrate: false }, client);
      });
    }
  });

  it("keep no content in statistics", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    const { rows } = await runSql(`SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = '"${schema}"'::regnamespace AND attnum > 0 AND attstattarget = 0 ORDER BY attname`);
    expect(rows.map(({ attname }) => attname)).toEqual(["record", "request", "texts"]);
  });

  it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
    "support a schema named %s",
    async (schema) => {
      await useSchemaNamed(schema, async (client) => {
        const log = await createPostgresTurnLog({ schema, tableName: "names" }, client);
        const { writer } = await beginTurn(log, { conversationId: "c" });
        await log.append({ writer, first: 0, events: ["an event"] });
        expect(await eventsOf(log, "c")).toEqual(["an event"]);
      });
    },
  );

  it.each([{ schema: "" }, { tableName: "Caps" }, { tabelName: "a" }])("refuse %j", async (options) => {
    await useClient(async (client) => {
      await expect(createPostgresTurnLog(options, client)).rejects.toThrow(TypeError);
      await expect(migrate(client, { ...options, groups })).rejects.toThrow(TypeError);
    });
  });
});
