import { poll, until } from "./polling.ts";
import { redisCommand, redisRole } from "./redis-command.ts";
import { FAST_REDIS, requireRedis, startLocalRedis, startLocalSentinel } from "./redis-server.ts";
import type { RestartableServer } from "./restartable-server.ts";

const SENTINELS = 3;
const QUORUM = 2;

export interface RedisSentinelOptions {
  /** How long the master can be silent before it is replaced. Default 30,000. */
  readonly downAfterMs?: number;
}

export interface RedisSentinel {
  /** The master's name at the three Sentinels. */
  readonly masterName: string;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** Kills (SIGKILL) the master. Resolves with it. */
  readonly killMaster: () => Promise<RestartableServer>;
  /** Resolves with the new master when every Sentinel names another one than `former`, and it accepts writes. */
  readonly replaced: (former: RestartableServer) => Promise<RestartableServer>;
  /** Starts a killed server as a replica of the current master. */
  readonly rejoin: (server: RestartableServer) => Promise<void>;
  /** Resolves when one server is the master, the other follows it, and the Sentinels know both. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const MASTER_NAME = "jaf";
const REPLICATION = [...FAST_REDIS, "repl-diskless-sync-delay", "0"];

type Servers = readonly RestartableServer[];

const sentinelLines = (masterPort: number, downAfterMs: number): readonly string[] => [
  `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
  `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfterMs}`,
  // After a vote without a winner, they vote again after twice this time.
  `sentinel failover-timeout ${MASTER_NAME} 3000`,
];

async function describeMaster(sentinel: RestartableServer): Promise<ReadonlyMap<string, string>> {
  const reply = await redisCommand(sentinel.port, "SENTINEL", "MASTER", MASTER_NAME);
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(
    fields.flatMap((field, index) => (index % 2 === 0 ? [[field, fields[index + 1] ?? ""] as const] : [])),
  );
}

async function knowsAll(sentinel: RestartableServer): Promise<boolean> {
  const master = await describeMaster(sentinel);
  return (
    master.get("num-slaves") === "1" &&
    master.get("num-other-sentinels") === String(SENTINELS - 1) &&
    master.get("flags") === "master"
  );
}

async function soleMaster(data: Servers): Promise<boolean> {
  const roles = await Promise.all(data.map(({ port }) => redisRole(port)));
  const [master, ...others] = data.filter((_, index) => roles[index]?.role === "master");
  if (master === undefined || others.length > 0) return false;
  return roles.every(
    (state) =>
      state.role === "master" ||
      (state.role === "replica" && state.linked && state.masterPort === master.port),
  );
}

function control(data: Servers, sentinels: Servers) {
  const masterFor = async (sentinel: RestartableServer) => {
    const port = Number((await describeMaster(sentinel)).get("port"));
    return data.find((server) => server.port === port);
  };

  const master = (except?: RestartableServer) =>
    poll("The Sentinels agree on a master", async () => {
      const [first, ...others] = await Promise.all(sentinels.map(masterFor));
      if (first === undefined || first === except || others.some((other) => other !== first))
        return undefined;
      return (await redisRole(first.port)).role === "master" ? first : undefined;
    });

  async function killMaster(): Promise<RestartableServer> {
    const present = await master();
    await present.kill();
    return present;
  }

  const rejoin = async (server: RestartableServer) =>
    server.start(["--replicaof", `127.0.0.1 ${(await master()).port}`]);

  const settled = () =>
    until("The servers that Sentinel watches are settled", async () => {
      const known = sentinels.map(knowsAll);
      return (await soleMaster(data)) && (await Promise.all(known)).every(Boolean);
    });

  return { killMaster, replaced: (former: RestartableServer) => master(former), rejoin, settled };
}

async function startAll(servers: readonly Promise<RestartableServer>[], into: RestartableServer[]) {
  const started = await Promise.allSettled(servers);
  for (const one of started) if (one.status === "fulfilled") into.push(one.value);
  for (const one of started) if (one.status === "rejected") throw one.reason;
  return started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/**
 * Starts a master, one replica and three Sentinels with this machine's binaries. Replication is asynchronous: writes that a
 * failover must keep need a `WAIT` for the replica. (With several replicas, for all of them: a Sentinel compares
 * information that is seconds old, so it can choose a lagging one.)
 */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinel> {
  const binaries = requireRedis();
  const { downAfterMs = 30_000 } = options;
  const running: RestartableServer[] = [];
  const stop = async () => void (await Promise.all(running.map((server) => server.stop())));
  try {
    const [first] = await startAll([startLocalRedis(binaries, REPLICATION)], running);
    const masterPort = first?.port ?? 0;
    const replicaOf = ["replicaof", `127.0.0.1 ${masterPort}`];
    await startAll([startLocalRedis(binaries, [...REPLICATION, ...replicaOf])], running);
    const data = [...running];
    const lines = sentinelLines(masterPort, downAfterMs);
    const watching = Array.from({ length: SENTINELS }, () => startLocalSentinel(binaries, lines));
    const sentinels = await startAll(watching, running);
    const controls = control(data, sentinels);
    await controls.settled();
    const addresses = sentinels.map(({ port }) => ({ host: "127.0.0.1", port }));
    return { masterName: MASTER_NAME, sentinels: addresses, stop, ...controls };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
