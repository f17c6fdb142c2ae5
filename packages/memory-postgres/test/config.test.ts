import { describe, expect, it } from "vitest";
import { createPostgresProvider } from "../src/index.ts";

describe("the configuration", () => {
  it.each([
    ["tableName", { tableName: "a; DROP TABLE x" }],
    ["tableName", { tableName: 'a"b' }],
    ["tableName", { tableName: "Conversations" }],
    ["tableName", { tableName: 'conversations"; DROP SCHEMA public CASCADE; --' }],
    ["tableName", { tableName: "a'b" }],
    ["tableName", { tableName: "a\0b" }],
    ["tableName", { tableName: "a\n" }],
    ["tableName", { tableName: "a.b" }],
    ["tableName", { tableName: "a$b" }],
    ["tableName", { tableName: "naïve" }],
    ["tableName", { tableName: "ｆｕｌｌ" }],
    ["tableName", { tableName: 7 as unknown as string }],
    ["tableName", { tableName: "1st" }],
    ["tableName", { tableName: "" }],
    ["tableName", { tableName: "a".repeat(41) }],
    ["schema", { schema: "" }],
    ["schema", { schema: "a\0b" }],
    ["schema", { schema: "ü".repeat(32) }],
    ["schema", { schema: "information_schema" }],
    ["schema", { schema: "pg_mine" }],
    ["schema", { schema: "$user" }],
    ["schema", { schema: "a\ud800b" }],
    ["schema", { schema: "a".repeat(64) }],
    ["schema", { schema: "\udc00" }],
    ["partitions", { partitions: 0 }],
    ["partitions", { partitions: 1.5 }],
    ["partitions", { partitions: 129 }],
    ["partitions", { partitions: Number.NaN }],
    ["queryTimeoutMs", { queryTimeoutMs: 0 }],
    ["port", { port: Number.NaN }],
    ["port", { port: -1 }],
    ["maxConnections", { maxConnections: 0 }],
    ["ssl", { ssl: "yes" as unknown as boolean }],
    ["connectionString", { connectionString: "mysql://user:s3cret@host" }],
    ["hots", { hots: "localhost" }],
  ])("refuses a bad %s by name, without repeating it", async (field, config) => {
    const created = createPostgresProvider({ password: "s3cret", ...config });
    await expect(created).rejects.toThrow(TypeError);
    await expect(created).rejects.toThrow(field);
    await expect(created).rejects.not.toThrow("s3cret");
  });
});

it("explains the limit on partitions", async () => {
  await expect(createPostgresProvider({ partitions: 129 })).rejects.toThrow(/at most 128: .* locks/);
});

describe("a connection string", () => {
  it("in Redis's field is refused with the right field's name, and not repeated", async () => {
    const config = { url: "postgres://u:s3cret@h/db" } as never;
    await expect(createPostgresProvider(config)).rejects.toThrow(
      /^Invalid Postgres provider configuration: url: expected it in the field connectionString\.$/,
    );
  });

  it.each(["postgres://u:s3cret@h:99999/db", "postgres://u:s3cret@h/%E0"])(
    "that isn't a URL is named, and not repeated: %s",
    async (connectionString) => {
      const thrown = await createPostgresProvider({ connectionString }).catch((error: unknown) => error);
      expect(thrown).toMatchObject({
        message: expect.stringContaining("`connectionString` is not a valid URL"),
      });
      expect(JSON.stringify(thrown) + String(thrown)).not.toContain("s3cret");
    },
  );
});
