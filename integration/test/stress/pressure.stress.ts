import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { createCluster, createSentinel } from "redis";
import { expect, it } from "vitest";
import { startFaultProxy } from "../../../test/fault-proxy.ts";
import { startPgBouncer } from "../../../test/pgbouncer.ts";
import { DURABLE_POSTGRES, requirePostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import { startRedisCluster } from "../../../test/redis-cluster.ts";
import { redisCommand } from "../../../test/redis-command.ts";
import { startRedisSentinel } from "../../../test/redis-sentinel.ts";
import { requireRedis, startLocalRedis } from "../../../test/redis-server.ts";
import type { RestartableServer } from "../../../test/restartable-server.ts";
import { withCleanups } from "../support/pressure/cleanups.ts";
import { type Fault, type Suffered, sufferAll } from "../support/pressure/faults.ts";
import { serverFaults } from "../support/pressure/server-faults.ts";
import { onSmallDisk, type SmallDisk } from "../support/pressure/small-disk.ts";

const APPEND_ONLY = ["save", "", "appendonly", "yes", "appendfsync", "everysec"];

/** Every fault has an outcome that tells the caller what happened, and ends without a restart of the process. */
function expectSound({ rows, problems }: Suffered): void {
  expect(problems).toEqual([]);
  for (const { failures } of rows) expect(failures.filter((ending) => ending.includes("!"))).toEqual([]);
}

const ofDisk = (disk: SmallDisk, mend: () => Promise<unknown> = async () => {}): readonly Fault[] => [
  {
    name: "disk full for 5 s",
    lastsMs: 5_000,
    begin: async () => disk.fill(),
    end: async () => {
      disk.free();
      await mend();
    },
  },
];

it("Redis, with the provider's own connection", () =>
  withCleanups(async (onEnd) => {
    const start = () => startLocalRedis(requireRedis(), APPEND_ONLY);
    const small = await onSmallDisk(64, start);
    const server = small?.server ?? (await start());
    if (small !== undefined) onEnd(small.disk.remove);
    onEnd(server.stop);
    const proxy = await startFaultProxy(server.port);
    onEnd(proxy.stop);
    const provider = await createRedisProvider({ url: `redis://127.0.0.1:${proxy.port}` });
    onEnd(provider.close);
    const set = (name: string, value: string) => redisCommand(server.port, "CONFIG", "SET", name, value);
    const faults: readonly Fault[] = [
      ...serverFaults(server, proxy),
      {
        name: "out of memory, `noeviction`",
        begin: () => set("maxmemory", "1"),
        end: () => set("maxmemory", "0"),
      },
      {
        name: "a replica, read-only",
        begin: () => redisCommand(server.port, "REPLICAOF", "127.0.0.1", "1"),
        end: () => redisCommand(server.port, "REPLICAOF", "NO", "ONE"),
      },
      ...(small === undefined ? [] : ofDisk(small.disk)),
    ];
    expectSound(await sufferAll("Redis", provider, faults));
  }));

it("a Redis Cluster", () =>
  withCleanups(async (onEnd) => {
    const cluster = await startRedisCluster({ replicas: true, nodeTimeoutMs: 1_000 });
    onEnd(cluster.stop);
    const client = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })) });
    client.on("error", () => {});
    await client.connect();
    onEnd(async () => client.destroy());
    const provider = await createRedisProvider({ minReplicas: 1, commandTimeoutMs: 2_000 }, client);
    let killed: RestartableServer | undefined;
    const faults: readonly Fault[] = [
      {
        name: "a master killed, its replica takes over",
        begin: async () => {
          killed = await cluster.killMaster(0);
          await cluster.replaced(0, killed);
        },
        end: async () => {
          await killed?.start();
          await cluster.settled();
        },
      },
      {
        name: "a shard handed over to its replica",
        begin: () => cluster.handOver(1),
        end: cluster.settled,
      },
    ];
    expectSound(await sufferAll("Redis Cluster", provider, faults));
  }));

it("Redis behind Sentinel", () =>
  withCleanups(async (onEnd) => {
    const sentinel = await startRedisSentinel({ downAfterMs: 1_000 });
    onEnd(sentinel.stop);
    const client = createSentinel({
      name: sentinel.masterName,
      sentinelRootNodes: [...sentinel.sentinels],
    });
    client.on("error", () => {});
    await client.connect();
    onEnd(async () => client.destroy());
    const provider = await createRedisProvider({ minReplicas: 1, commandTimeoutMs: 2_000 }, client);
    let killed: RestartableServer | undefined;
    const faults: readonly Fault[] = [
      {
        name: "the master killed and replaced",
        begin: async () => {
          killed = await sentinel.killMaster();
          await sentinel.replaced(killed);
        },
        end: async () => {
          if (killed !== undefined) await sentinel.rejoin(killed);
          await sentinel.settled();
        },
      },
    ];
    expectSound(await sufferAll("Redis, Sentinel", provider, faults));
  }));

/** Runs it on a separate connection, which is closed immediately. */
async function runSql(server: RestartableServer, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(server.url);
  client.on("error", () => {});
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const readOnly = (server: RestartableServer): Fault => {
  const set = (value: string) =>
    runSql(server, `ALTER SYSTEM SET default_transaction_read_only = ${value}`, "SELECT pg_reload_conf()");
  return {
    name: "read-only",
    begin: () => set("on"),
    // A read-only session can still change the server's settings.
    end: () => set("off"),
  };
};

const outOfConnections = (server: RestartableServer, count: number): Fault => {
  let hogs: pg.Client[] = [];
  return {
    name: "all connections taken by others",
    begin: async () => {
      await runSql(
        server,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
      );
      hogs = Array.from({ length: count }, () => new pg.Client(server.url));
      for (const hog of hogs) hog.on("error", () => {});
      await Promise.allSettled(hogs.map((hog) => hog.connect()));
    },
    end: () => Promise.allSettled(hogs.map((hog) => hog.end())),
  };
};

it("Postgres, with the provider's own pool", () =>
  withCleanups(async (onEnd) => {
    const connections = 25;
    const start = () => startLocalPostgres(requirePostgres(), [`max_connections=${connections}`]);
    const small = await onSmallDisk(160, start);
    const server = small?.server ?? (await start());
    if (small !== undefined) onEnd(small.disk.remove);
    onEnd(server.stop);
    const proxy = await startFaultProxy(server.port);
    onEnd(proxy.stop);
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const provider = await createPostgresProvider({ connectionString });
    onEnd(provider.close);
    // A server that can't write its log stops, and can't always restart automatically.
    const comeUp = async () => {
      await runSql(server, "SELECT 1").catch(async () => {
        await server.kill();
        await server.start();
      });
    };
    const faults: readonly Fault[] = [
      ...serverFaults(server, proxy),
      readOnly(server),
      outOfConnections(server, connections),
      ...(small === undefined ? [] : ofDisk(small.disk, comeUp)),
    ];
    expectSound(await sufferAll("Postgres", provider, faults));
  }));

it("Postgres behind a PgBouncer in transaction mode", () =>
  withCleanups(async (onEnd) => {
    const server = await startLocalPostgres(requirePostgres(), DURABLE_POSTGRES);
    onEnd(server.stop);
    const bouncer = await startPgBouncer(server.url, { default_pool_size: 2 });
    onEnd(bouncer.stop);
    const url = new URL(bouncer.url);
    const proxy = await startFaultProxy(Number(url.port));
    onEnd(proxy.stop);
    url.port = String(proxy.port);
    const provider = await createPostgresProvider({ connectionString: url.href });
    onEnd(provider.close);
    expectSound(await sufferAll("PgBouncer", provider, serverFaults(server, proxy)));
  }));
