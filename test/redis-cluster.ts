import { poll, until } from "./polling.ts";
import { redisCommand, redisRole } from "./redis-command.ts";
import { FAST_REDIS, requireRedis, startLocalRedis } from "./redis-server.ts";
import type { RestartableServer } from "./restartable-server.ts";
import { freePort } from "./servers.ts";

const SLOTS = 16_384;
const MASTERS = 3;

export interface RedisClusterOptions {
  /** Whether each of the three masters has a replica. Default: none. */
  readonly replicas?: boolean;
  /** How long a node can be silent before the others replace it. Default 15,000. */
  readonly nodeTimeoutMs?: number;
}

export interface RedisCluster {
  /** The URLs of all nodes. */
  readonly urls: readonly string[];
  /** Kills (SIGKILL) the master of a shard and resolves with it. `shard`: 0, 1 or 2, a third of the slots each. */
  readonly killMaster: (shard: number) => Promise<RestartableServer>;
  /** Resolves when another master than `former` has the shard. */
  readonly replaced: (shard: number, former: RestartableServer) => Promise<void>;
  /** Hands the shard over to its replica without losing a write. Resolves with the former master. */
  readonly handOver: (shard: number) => Promise<RestartableServer>;
  /** Resolves when every node runs and reports that all slots are served, and every replica follows its master. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

type Shard = readonly RestartableServer[];

async function startNode(binaries: string, nodeTimeoutMs: number): Promise<RestartableServer> {
  // The default bus port, 10,000 above the other port, may be in use.
  const busPort = await freePort();
  return startLocalRedis(binaries, [
    ...FAST_REDIS,
    ...["cluster-enabled", "yes", "cluster-port", String(busPort)],
    ...["cluster-node-timeout", String(nodeTimeoutMs), "cluster-require-full-coverage", "no"],
    ...["cluster-allow-replica-migration", "no", "repl-diskless-sync-delay", "0"],
  ]);
}

const busPortOf = async (node: RestartableServer): Promise<string> => {
  const reply = await redisCommand(node.port, "CONFIG", "GET", "cluster-port");
  return String(Array.isArray(reply) ? reply[1] : "");
};

const idOf = async (node: RestartableServer): Promise<string> =>
  String(await redisCommand(node.port, "CLUSTER", "MYID"));

async function assignSlots(masters: Shard): Promise<void> {
  for (const [index, { port }] of masters.entries()) {
    const first = Math.ceil((index * SLOTS) / MASTERS);
    const last = Math.ceil(((index + 1) * SLOTS) / MASTERS) - 1;
    await redisCommand(port, "CLUSTER", "ADDSLOTSRANGE", String(first), String(last));
    await redisCommand(port, "CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
  }
}

async function introduce(nodes: Shard): Promise<void> {
  const [first, ...others] = nodes;
  if (first === undefined) return;
  for (const node of others) {
    const address = ["127.0.0.1", String(node.port), await busPortOf(node)];
    await redisCommand(first.port, "CLUSTER", "MEET", ...address);
  }
  const acquainted = async ({ port }: RestartableServer) => {
    const text = String(await redisCommand(port, "CLUSTER", "NODES"));
    return text.trim().split("\n").length === nodes.length && !text.includes("handshake");
  };
  await until("The nodes of the cluster know each other", async () =>
    (await Promise.all(nodes.map(acquainted))).every(Boolean),
  );
}

async function follow(shard: Shard): Promise<void> {
  const [master, replica] = shard;
  if (master === undefined || replica === undefined) return;
  await redisCommand(replica.port, "CLUSTER", "REPLICATE", await idOf(master));
}

async function healthy(node: RestartableServer, replicated: boolean): Promise<boolean> {
  const info = String(await redisCommand(node.port, "CLUSTER", "INFO"));
  const nodes = String(await redisCommand(node.port, "CLUSTER", "NODES"));
  if (!info.includes("cluster_state:ok") || !info.includes(`cluster_slots_ok:${SLOTS}`)) return false;
  if (/fail|noaddr/.test(nodes)) return false;
  const state = await redisRole(node.port);
  return state.role === "master" ? !replicated || state.replicas === 1 : "linked" in state && state.linked;
}

function control(shards: readonly Shard[]): Omit<RedisCluster, "urls" | "stop"> {
  const nodes = shards.flat();
  const shardOf = (index: number): Shard => shards[index] ?? [];

  const nodeIn = (index: number, role: "master" | "replica", except?: RestartableServer) =>
    poll(`Shard ${index} has a ${role}`, async () => {
      for (const node of shardOf(index))
        if (node !== except && (await redisRole(node.port)).role === role) return node;
      return undefined;
    });

  const replaced = async (shard: number, former: RestartableServer) =>
    void (await nodeIn(shard, "master", former));

  async function killMaster(shard: number): Promise<RestartableServer> {
    const master = await nodeIn(shard, "master");
    await master.kill();
    return master;
  }

  async function handOver(shard: number): Promise<RestartableServer> {
    const master = await nodeIn(shard, "master");
    const replica = await nodeIn(shard, "replica");
    await redisCommand(replica.port, "CLUSTER", "FAILOVER");
    await replaced(shard, master);
    return master;
  }

  const settled = () =>
    until("The cluster is settled", async () => {
      const all = await Promise.all(nodes.map((node) => healthy(node, nodes.length > MASTERS)));
      return all.every(Boolean);
    });

  return { killMaster, replaced, handOver, settled };
}

/**
 * Starts three masters with this machine's binaries. They are writable after about 2 s, because Redis waits before it
 * considers a new cluster complete. Replication is asynchronous: writes that a failover must keep need a `WAIT`.
 */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const binaries = requireRedis();
  const { replicas = false, nodeTimeoutMs = 15_000 } = options;
  const started = await Promise.allSettled(
    Array.from({ length: replicas ? 2 * MASTERS : MASTERS }, () => startNode(binaries, nodeTimeoutMs)),
  );
  const nodes = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    for (const one of started) if (one.status === "rejected") throw one.reason;
    const masters = nodes.slice(0, MASTERS);
    await assignSlots(masters);
    await introduce(nodes);
    const shards = masters.map((master, index) => [
      master,
      ...nodes.slice(MASTERS + index, MASTERS + index + 1),
    ]);
    await Promise.all(shards.map(follow));
    const controls = control(shards);
    await controls.settled();
    return { urls: nodes.map((node) => node.url), stop, ...controls };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
