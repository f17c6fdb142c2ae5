import type { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import type { VersionedMemoryProvider } from "@jaf/memory";
import type { ProviderProcess, TestStore } from "@jaf/memory/testing";
import pg from "pg";
import { inject } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { createPostgresProvider, type PostgresConfig } from "../../src/index.ts";
import type { StorageAddress } from "./provider-process.ts";
import { tamperIn } from "./tamper.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
  }
}

/** Returns a unique schema name. */
export const freshSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "")}`;

/** Runs on a separate connection. */
export async function useClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

export const runSql = (sql: string): Promise<pg.QueryResult> => useClient((client) => client.query(sql));

export const dropSchemas = (schemas: readonly string[]): Promise<unknown> =>
  runSql(
    [
      "SET client_min_messages = warning",
      ...schemas.map((name) => `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(name)} CASCADE`),
    ].join(";"),
  );

/**
 * Runs on a separate connection, with a schema of exactly this name, which is dropped afterwards unless it is `public`.
 * Tests of several files use the same hostile names and take turns.
 */
export const useSchemaNamed = <T>(schema: string, use: (client: pg.Client) => Promise<T>): Promise<T> =>
  useClient(async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext('schema of a test'), hashtext($1))", [schema]);
    try {
      return await use(client);
    } finally {
      if (schema !== "public") await dropSchemas([schema]); // The lock ends with the connection.
    }
  });

export interface Connection {
  /** Creates a new provider on the connection. */
  readonly createProvider: () => Promise<VersionedMemoryProvider>;
  readonly end: () => Promise<void>;
  /** Destroys the sockets, even during calls. */
  readonly cut: () => void;
  /** Makes the server unreachable permanently; absent if that isn't possible. */
  readonly stop?: () => Promise<void>;
}

const processModule = pathToFileURL(await bundleProcess(new URL("./provider-process.ts", import.meta.url)));

/** A provider on the same schema in another process, with its own connection. */
const processAt = (schema: string): ProviderProcess => {
  const argument: StorageAddress = { url: inject("pgUrl"), schema };
  return { module: processModule, argument };
};

interface Slot {
  readonly schema: string;
  connections: Connection[];
}

/**
 * Creates stores in separate schemas. Creating tables and connections takes longer than most tests, so a schema is
 * emptied after its test and reused with its connections. `processes`: with a second process, for the rules that need
 * one.
 */
export function createSchemas(
  connect: (schema: string) => Promise<Connection>,
  { processes = false }: { readonly processes?: boolean } = {},
) {
  const idle: Slot[] = [];
  const all: Slot[] = [];
  const admin = new pg.Pool({ connectionString: inject("pgUrl"), max: 2 });

  function checkOut(): Slot {
    const known = idle.pop();
    if (known !== undefined) return known;
    const slot = { schema: freshSchema(), connections: [] };
    all.push(slot);
    return slot;
  }

  async function createStore(): Promise<TestStore> {
    const slot = checkOut();
    let used = 0;
    let isCut = false;
    const open = async () => {
      const index = used++; // Taken synchronously, since several may be opened at the same time.
      const connection = slot.connections[index] ?? (await connect(slot.schema));
      slot.connections[index] = connection;
      return connection.createProvider();
    };
    const crash = () => {
      for (const { cut } of slot.connections) cut();
      [slot.connections, used, isCut] = [[], 0, true];
      return open();
    };
    const dispose = async () => {
      // A write that was cut off may still be on its way, e.g. in PgBouncer. It must not reach the next test.
      if (isCut) return;
      await admin.query(
        `DELETE FROM "${slot.schema}".conversations; DELETE FROM "${slot.schema}".conversations_tombstones`,
      );
      idle.push(slot);
    };
    const provider = await open();
    const stops = () => slot.connections.flatMap(({ stop }) => (stop === undefined ? [] : [stop]));
    const tamper = tamperIn(admin, slot.schema);
    if (stops().length === 0) return { provider, connect: open, crash, tamper, dispose };
    const stop = async () => {
      await Promise.all(stops().map((stopOne) => stopOne()));
      [slot.connections, isCut] = [[], true];
    };
    const store = { provider, connect: open, crash, stop, tamper, dispose };
    return processes ? { ...store, process: processAt(slot.schema) } : store;
  }

  const tearDown = async () => {
    await Promise.all(all.flatMap(({ connections }) => connections.map(({ end }) => end())));
    await admin.end();
    await dropSchemas(all.map(({ schema }) => schema));
  };
  return { createStore, tearDown };
}

// Not in the types of `pg`.
const destroySocket = (client: pg.Client | pg.PoolClient): void => {
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
};

export async function connectClient(schema: string): Promise<Connection> {
  const client = new pg.Client(inject("pgUrl"));
  client.on("error", () => {});
  await client.connect();
  return {
    createProvider: () => createPostgresProvider({ schema }, client),
    end: () => client.end(),
    cut: () => destroySocket(client),
  };
}

type Create = (config: PostgresConfig, pool: pg.Pool) => Promise<VersionedMemoryProvider>;

export async function connectPool(
  schema: string,
  options: Pick<PostgresConfig, "connectionString" | "partitions"> = {},
  create: Create = createPostgresProvider,
): Promise<Connection> {
  const { connectionString = inject("pgUrl"), ...config } = options;
  // If they stayed idle for long, the connections of many schemas would exceed the server's limit.
  const pool = new pg.Pool({ connectionString, max: 10, idleTimeoutMillis: 500 });
  const clients = new Set<pg.PoolClient>();
  pool.on("error", () => {});
  pool.on("connect", (client) => void clients.add(client));
  pool.on("remove", (client) => void clients.delete(client as pg.PoolClient));
  return {
    createProvider: () => create({ schema, ...config }, pool),
    end: () => pool.end(),
    cut: () => {
      for (const client of clients) destroySocket(client);
      void pool.end(); // It would open new ones.
    },
  };
}

/** A pool with its own proxy to the server, which `stop` removes. */
export async function connectThroughProxy(schema: string): Promise<Connection> {
  const url = new URL(inject("pgUrl"));
  const proxy = await startCutProxy(Number(url.port), () => false);
  url.port = String(proxy.port);
  const { createProvider, end, cut } = await connectPool(schema, { connectionString: url.href });
  const stop = async () => {
    await proxy.stop();
    await end();
  };
  return { createProvider, end: stop, cut, stop: proxy.stop };
}
