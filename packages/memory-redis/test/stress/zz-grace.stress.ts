import { expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { runLoad } from "/work/main/test/faults/load.ts";
import { startRedisCluster } from "/work/main/test/redis-cluster.ts";
import { startRedisSentinel } from "/work/main/test/redis-sentinel.ts";
import * as F from "/work/main/packages/memory-redis/test/support/faults.ts";
const modes = [["graceful",0],["graceful",1],["kill",0]] as const;
for (const kind of ["cluster","sentinel"] as const) for (const [how,min] of modes) {
  it(`${kind} ${how} minReplicas=${min}`, async () => {
    const c: any = kind==="cluster" ? await startRedisCluster({replicas:true,nodeTimeoutMs:1000}) : await startRedisSentinel({downAfterMs:1000});
    const conns = kind==="cluster" ? [F.nodeRedisCluster(c.urls),F.ioredisCluster(c.urls)] : [F.nodeRedisSentinel(c),F.ioredisSentinel(c)];
    const config = { minReplicas: min, commandTimeoutMs: 2000, keyPrefix: "g:" };
    try {
      const out = await F.withProviders(conns, (ps) => runLoad(ps, { title: `${kind} ${how} minReplicas=${min}`, faults: async (recovered) => {
        for (const shard of [0,1,2]) { await recovered(); await sleep(500);
          if (how==="graceful") { const t=performance.now(); await c.handOver(shard); await c.settled(); console.log("handover+settled", Math.round(performance.now()-t)); }
          else { const k = await c.killMaster(shard); if (kind==="cluster") { await c.replaced(shard,k); await k.start(); } else { await c.replaced(k); await c.rejoin(k);} await c.settled(); }
        }
        await recovered(); return "3 failovers";
      }}), config);
      const problems = await F.withProviders([conns[0]!], async ([p]) => out.ledger.problems(p!), { keyPrefix: "g:" });
      console.log(`RESULT ${kind} ${how} min=${min}: ${problems.length} problems`, problems.slice(0,4), out.unretryable);
    } finally { await c.stop(); }
  });
}
