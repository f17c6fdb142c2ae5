import { startRedisCluster } from "./redis-cluster.ts";

/** A vitest `globalSetup`: provides `redisClusterUrls`, the nodes of a cluster of three masters without replicas. */
export default async function setup(project: {
  readonly provide: (key: "redisClusterUrls", value: string[]) => void;
}): Promise<() => Promise<void>> {
  const cluster = await startRedisCluster();
  project.provide("redisClusterUrls", [...cluster.urls]);
  return cluster.stop;
}
