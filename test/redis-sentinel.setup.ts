import { startRedisSentinel } from "./redis-sentinel.ts";

interface Provided {
  readonly masterName: string;
  readonly sentinels: { readonly host: string; readonly port: number }[];
}

/** A vitest `globalSetup`: provides `redisSentinel`, three Sentinels that watch a master with one replica. */
export default async function setup(project: {
  readonly provide: (key: "redisSentinel", value: Provided) => void;
}): Promise<() => Promise<void>> {
  const sentinel = await startRedisSentinel();
  project.provide("redisSentinel", {
    masterName: sentinel.masterName,
    sentinels: [...sentinel.sentinels],
  });
  return sentinel.stop;
}
