import { MemorySetupError } from "@jaf/memory";
import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresProvider, migrate, type PostgresTables, printMigrations } from "../../src/index.ts";
import { describeSchema } from "./schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "./stores.ts";

interface StoreOptions {
  readonly schema: string;
  readonly tableName?: string;
  readonly migrate?: boolean;
}

interface GroupTests<Store> {
  readonly group: NonNullable<PostgresTables["groups"]>[number];
  /** What follows `conversations_` in the name of the journal. */
  readonly journal: string;
  /** What follows `conversations_` in the name of one of the tables. */
  readonly table: string;
  readonly create: (config: StoreOptions, client: pg.Client) => Promise<Store>;
  /** Writes to the store and reads from it. */
  readonly use: (store: Store) => Promise<void>;
}

/** Tests the migrations of a group of tables that one store uses. */
export function describeMigrationsOf<Store>({ group, journal, table, create, use }: GroupTests<Store>): void {
  const groups = [group];
  const schemas: string[] = [];
  const schemaOf = (): string => {
    const name = freshSchema();
    schemas.push(name);
    return name;
  };
  afterAll(() => dropSchemas(schemas));

  describe(`the migrations of the group ${group}`, () => {
    it("create the reviewed schema", async () => {
      const schema = schemaOf();
      await useClient((client) => migrate(client, { schema, groups }));
      await expect(await describeSchema(schema)).toMatchFileSnapshot(`../migrations/${group}.schema.txt`);
    });

    it("print a script with the same effect, any number of times", async () => {
      const [migrated, printed] = [schemaOf(), schemaOf()];
      await useClient((client) => migrate(client, { schema: migrated, groups }));
      await runSql(printMigrations({ schema: printed, groups }));
      await runSql(printMigrations({ schema: printed, groups }));
      expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
    });

    it("run once if 8 stores are created at the same time", async () => {
      const schema = schemaOf();
      await Promise.all(
        Array.from({ length: 8 }, () => useClient(async (client) => void (await create({ schema }, client)))),
      );
      const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_${journal} ORDER BY id`);
      expect(rows).toEqual([{ id: 0 }]);
    });

    it("can share a schema and a prefix with partitioned conversations, in either order", async () => {
      for (const both of [["conversations", group] as const, [group, "conversations"] as const]) {
        const tables = { schema: schemaOf(), tableName: "shared" };
        await useClient(async (client) => {
          await migrate(client, { ...tables, partitions: 2, groups: both });
          await createPostgresProvider({ ...tables, partitions: 2, migrate: false }, client);
          await use(await create({ ...tables, migrate: false }, client));
        });
      }
    });

    it("are required by the error if the store must not run them, and a missing table is reported", async () => {
      const schema = schemaOf();
      await useClient(async (client) => {
        const created = create({ schema, migrate: false }, client);
        await expect(created).rejects.toThrow(MemorySetupError);
        await expect(created).rejects.toThrow(
          new RegExp(`run migrate\\(\\).* with \`groups: \\["${group}"\\]\``),
        );
        await migrate(client, { schema, groups });
        await client.query(`DROP TABLE "${schema}".conversations_${table}`);
        await expect(create({ schema }, client)).rejects.toThrow(/some of the tables are gone/);
      });
    });

    it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
      "support a schema named %s",
      (schema) => useSchemaNamed(schema, async (client) => use(await create({ schema }, client))),
    );
  });
}
