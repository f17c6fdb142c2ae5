import type { MemoryProvider, Message } from "@jaf/memory";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createProvider } from "./provider.ts";
import { dropSchemas, freshSchema, runSql } from "./stores.ts";

const WRITERS = 32;
const APPENDS = 20;
const TOTAL = WRITERS * APPENDS;

const schemas: string[] = [];

/** Drops the schemas of the tests so far. */
const dropAll = () => dropSchemas(schemas.splice(0));

const message = (writer: number, append: number): Message => ({
  role: "user",
  content: `${writer}/${append}`,
});

async function write(provider: MemoryProvider, writer: number, key: boolean): Promise<void> {
  for (let append = 0; append < APPENDS; append++) {
    const options = key ? { idempotencyKey: `${writer}/${append}` } : {};
    const result = await provider.appendMessages("c", [message(writer, append)], { userId: "u" }, options);
    if (!result.success) throw new Error(JSON.stringify(result.error));
  }
}

async function expectAll(schema: string): Promise<void> {
  const { rows } = await runSql(
    `SELECT seq::int, body::json->>'content' AS content FROM "${schema}".conversations_messages ORDER BY seq`,
  );
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: TOTAL }, (_, index) => index + 1));
  for (let writer = 0; writer < WRITERS; writer++) {
    const own = rows.map(({ content }) => content as string).filter((text) => text.startsWith(`${writer}/`));
    expect(own).toEqual(Array.from({ length: APPENDS }, (_, append) => `${writer}/${append}`));
  }
  const { rows: counts } = await runSql(
    `SELECT version::int, total_messages::int AS total FROM "${schema}".conversations`,
  );
  expect(counts).toEqual([{ version: TOTAL, total: TOTAL }]);
}

interface Server {
  readonly schema: string;
  /** One provider per writer, on few or many connections. */
  readonly providers: readonly MemoryProvider[];
}

async function withPool(use: (server: Server) => Promise<void>, options = ""): Promise<void> {
  const schema = freshSchema();
  schemas.push(schema);
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10, options });
  try {
    const provider = await createProvider({ schema }, pool);
    await use({ schema, providers: Array.from({ length: WRITERS }, () => provider) });
  } finally {
    await pool.end();
  }
}

async function withClients(use: (server: Server) => Promise<void>, options = ""): Promise<void> {
  const schema = freshSchema();
  schemas.push(schema);
  const config = { connectionString: inject("pgUrl"), options };
  const clients = Array.from({ length: 8 }, () => new pg.Client(config));
  try {
    const providers = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        return createProvider({ schema }, client);
      }),
    );
    await use({ schema, providers: Array.from({ length: WRITERS / 8 }, () => providers).flat() });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** The writers' ways to connect to the server. */
const connections = {
  "a pool of 10": withPool,
  "8 clients": withClients,
  "a pool of its own": withOwnPool,
} as const;

type Connections = keyof typeof connections;

export const describeWriters = (name: Exclude<Connections, "a pool of its own">): unknown =>
  describe(`32 writers with 20 appends each, on ${name}`, () => {
    const using = connections[name];
    afterAll(dropAll);
    it("lose nothing, and number without gaps", () =>
      using(async ({ schema, providers }) => {
        await Promise.all(providers.map((provider, writer) => write(provider, writer, false)));
        await expectAll(schema);
      }));

    it("store each message once if every append is sent three times", () =>
      using(async ({ schema, providers }) => {
        const twice = [...providers.entries()].flatMap((entry) => [entry, entry]);
        await Promise.all(twice.map(([writer, provider]) => write(provider, writer, true)));
        await Promise.all(
          [...providers.entries()].map(([writer, provider]) => write(provider, writer, true)),
        );
        await expectAll(schema);
      }));

    it("create a conversation once, for one of the users who race for it", () =>
      using(async ({ schema, providers }) => {
        for (let round = 0; round < 10; round++) {
          const results = await Promise.all(
            providers.map((provider, writer) =>
              provider.appendMessages(`c${round}`, [message(writer, 0)], { userId: `user ${writer}` }),
            ),
          );
          const refused = results.flatMap((result) => (result.success ? [] : [result.error]));
          expect(refused).toHaveLength(WRITERS - 1);
          for (const error of refused)
            expect(error).toMatchObject({ _tag: "MemoryConflictError", reason: "owner" });
        }
        const { rows } = await runSql(
          `SELECT count(*)::int AS messages FROM "${schema}".conversations_messages`,
        );
        expect(rows).toEqual([{ messages: 10 }]);
      }));

    it("append, delete and clear concurrently without an error or an orphan", () =>
      using(async ({ schema, providers }) => {
        const results = await Promise.all(
          providers.flatMap((provider, writer) =>
            Array.from({ length: APPENDS }, (_, append) => {
              if (append % 7 === 3) return provider.deleteConversation("c");
              if (append % 7 === 5) return provider.clearUserConversations("u");
              return provider.appendMessages("c", [message(writer, append)], {
                userId: "u",
                traceId: `t${append}`,
              });
            }),
          ),
        );
        expect(results.filter(({ success }) => !success)).toEqual([]);
        const { rows } = await runSql(`SELECT
        (SELECT count(*)::int FROM "${schema}".conversations_messages) AS messages,
        (SELECT coalesce(sum(total_messages), 0)::int FROM "${schema}".conversations) AS counted`);
        expect(rows[0].messages).toBe(rows[0].counted);
      }));
  });

async function withOwnPool(use: (server: Server) => Promise<void>, options: string): Promise<void> {
  const schema = freshSchema();
  schemas.push(schema);
  const connectionString = `${inject("pgUrl")}?options=${encodeURIComponent(options)}`;
  const provider = await createProvider({ connectionString, schema });
  try {
    await use({ schema, providers: Array.from({ length: WRITERS }, () => provider) });
  } finally {
    await provider.close();
  }
}

export const describeStrictDefaults = (name: Connections): unknown =>
  describe(`200 appends at once to 4 conversations, on ${name}`, () => {
    const using = connections[name];
    afterAll(dropAll);
    it.each(["repeatable\\ read", "serializable"])("all succeed if %s is the default", (level) =>
      using(async ({ schema, providers }) => {
        const append = (index: number) =>
          providers[index % providers.length]?.appendMessages(`c${index % 4}`, [message(index, 0)]);
        const results = await Promise.all(Array.from({ length: 200 }, (_, index) => append(index)));
        expect(results.filter((result) => !result?.success)).toEqual([]);
        const { rows } = await runSql(`SELECT version::int FROM "${schema}".conversations`);
        expect(rows).toEqual(Array.from({ length: 4 }, () => ({ version: 50 })));
      }, `-c default_transaction_isolation=${level}`),
    );
  });

export const describeSerializationFailure = (): unknown =>
  describe("a serialization failure in the application's transaction", () => {
    afterAll(dropAll);
    it("is reported, and not retried", () =>
      withClients(async ({ schema, providers }) => {
        await providers[0]?.appendMessages("c", [message(0, 0)]);
        const client = new pg.Client(inject("pgUrl"));
        await client.connect();
        const provider = await createProvider({ schema }, client);
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        await provider.getConversation("c");
        await providers[0]?.appendMessages("c", [message(0, 1)]);
        expect(await provider.appendMessages("c", [message(1, 0)])).toMatchObject({
          success: false,
          error: { _tag: "MemoryStorageError", retryable: true, cause: { code: "40001" } },
        });
        await client.end();
      }));
  });
