import postgres from "./postgres.setup.ts";
import redis from "./redis.setup.ts";
import redisCluster from "./redis-cluster.setup.ts";
import redisSentinel from "./redis-sentinel.setup.ts";

type Provide = (key: string, value: unknown) => void;

interface Started {
  readonly provided: readonly (readonly [key: string, value: unknown])[];
  readonly stop: () => Promise<void>;
}

const SETUPS: Readonly<
  Record<string, (project: { readonly provide: Provide }) => Promise<() => Promise<void>>>
> = { postgres, redis, "redis-cluster": redisCluster, "redis-sentinel": redisSentinel };

async function start(name: string): Promise<Started> {
  const setup = SETUPS[name];
  if (setup === undefined) throw new TypeError(`There is no server ${name}.`);
  const provided: (readonly [string, unknown])[] = [];
  const stop = await setup({ provide: (key, value) => provided.push([key, value]) });
  return { provided, stop };
}

// Each project loads this module again, in the same process.
const shared = globalThis as { jafTestServers?: Map<string, Promise<Started>> };

/** A vitest `globalSetup` of a project that is named after its servers. Starts those that don't run yet, in parallel. */
export default async function setup(project: {
  readonly name: string;
  readonly provide: Provide;
}): Promise<() => Promise<void>> {
  shared.jafTestServers ??= new Map();
  const running = shared.jafTestServers;
  const own: Promise<Started>[] = [];
  const servers = project.name.split("+").map((name) => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const started = start(name);
    running.set(name, started);
    own.push(started);
    return started;
  });
  for (const { provided } of await Promise.all(servers))
    for (const [key, value] of provided) project.provide(key, value);
  return async () => {
    await Promise.all(own.map(async (started) => (await started).stop()));
    running.clear();
  };
}
