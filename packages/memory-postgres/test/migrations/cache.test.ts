import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresCacheAdapter, migrate, printMigrations } from "../../src/index.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

const groups = ["cache"] as const;

afterAll(() => dropSchemas(schemas));

describe("the migrations of a cache", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./cache.schema.txt");
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("run once if 8 caches are created at the same time", async () => {
    const schema = schemaOf();
    const create = () =>
      useClient(async (client) => void (await createPostgresCacheAdapter({ schema }, client)));
    await Promise.all(Array.from({ length: 8 }, create));
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_cache_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }]);
  });

  it("are required by the error if the cache must not run them, and a missing table is reported", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createPostgresCacheAdapter({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\).* with `groups: \["cache"\]`/);
      await migrate(client, { schema, groups });
      await createPostgresCacheAdapter({ schema, migrate: false }, client);
      await client.query(`DROP TABLE "${schema}".conversations_cache`);
      await expect(createPostgresCacheAdapter({ schema }, client)).rejects.toThrow(
        /some of the tables are gone/,
      );
    });
  });

  it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
    "support a schema named %s",
    async (schema) => {
      await useSchemaNamed(schema, async (client) => {
        const cache = await createPostgresCacheAdapter({ schema, tableName: "names" }, client);
        await cache.set("k", "v", { ttlSeconds: 10 });
        expect(await cache.get("k")).toBe("v");
      });
    },
  );

  it.each([{ schema: "" }, { tableName: "Caps" }, { tabelName: "a" }])("refuse %j", async (options) => {
    await useClient(async (client) => {
      await expect(createPostgresCacheAdapter(options, client)).rejects.toThrow(TypeError);
      await expect(migrate(client, { ...options, groups })).rejects.toThrow(TypeError);
    });
  });
});
