import type { MemoryAdapterTypes } from "@jaf/memory";
import { expect, expectTypeOf, inject, it } from "vitest";
import { adapter, type PostgresConfig, type PostgresProvider } from "../src/index.ts";
import { dropSchemas, freshSchema, useClient } from "./support/stores.ts";

const secrets = Object.entries(adapter.environment).filter(([, variable]) => "secret" in variable);

it("the adapter has every documented variable, and hides those with a password", () => {
  expect(Object.keys(adapter.environment)).toEqual(
    expect.arrayContaining(
      ["URL", "HOST", "PORT", "DB", "USER", "PASSWORD", "SSL", "TABLE", "MAX_CONNECTIONS"].map(
        (name) => `JAF_POSTGRES_${name}`,
      ),
    ),
  );
  expect(secrets.map(([name]) => name).sort()).toEqual(["JAF_POSTGRES_PASSWORD", "JAF_POSTGRES_URL"]);
});

it("each variable fills a field of the configuration, in its format", () => {
  const values = { text: "postgres://localhost/db", number: 7, boolean: true };
  const fields = { connectionString: "postgres://h/db", schema: "s", tableName: "t" };
  for (const variable of Object.values(adapter.environment)) {
    const { field } = variable;
    const value =
      (fields as Record<string, string>)[field] ?? values["format" in variable ? variable.format : "text"];
    expect(adapter.configSchema.parse({ [field]: value })).toMatchObject({ [field]: value });
  }
});

it("the adapter creates a provider from the parsed configuration, with and without a client", async () => {
  const schema = freshSchema();
  const config = adapter.configSchema.parse({ connectionString: inject("pgUrl"), schema });
  const own = await adapter.create(config);
  expect(await own.storeMessages("c", [{ role: "user", content: "hi" }])).toMatchObject({ success: true });
  await own.close();
  await useClient(async (client) => {
    const provider = await adapter.create(config, client);
    expect(await provider.getStats()).toMatchObject({ data: { totalMessages: 1 } });
  });
  await dropSchemas([schema]);
});

it("the compiler knows the adapter by its type", () => {
  expectTypeOf<MemoryAdapterTypes["postgres"]["config"]>().toEqualTypeOf<PostgresConfig>();
  expectTypeOf<MemoryAdapterTypes["postgres"]["provider"]>().toEqualTypeOf<PostgresProvider>();
});
