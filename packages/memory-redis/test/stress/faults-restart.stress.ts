import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { withRetry } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import type { Ledger } from "../../../../test/faults/ledger.ts";
import { type LoadOptions, PATIENT, runLoad } from "../../../../test/faults/load.ts";
import { observe } from "../../../../test/faults/observed.ts";
import { until } from "../../../../test/polling.ts";
import { DURABLE_REDIS, requireRedis, startLocalRedis } from "../../../../test/redis-server.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import type { RedisConfig } from "../../src/index.ts";
import { ioredis, nodeRedis, withProviders } from "../support/faults.ts";

type Faults = LoadOptions["faults"];

const KILLS = 20;
const LOST_REPLIES = 15;

let server: RestartableServer;
beforeAll(async () => {
  server = await startLocalRedis(requireRedis(), DURABLE_REDIS);
}, 30_000);
afterAll(() => server.stop());

const problemsOf = (ledger: Ledger, config: RedisConfig): Promise<readonly string[]> =>
  withProviders(
    [nodeRedis(server.port)],
    async ([provider]) => (provider === undefined ? ["no provider"] : ledger.problems(provider)),
    config,
  );

const killOften: Faults = async (recovered) => {
  for (let round = 0; round < KILLS; round++) {
    await sleep(randomInt(50, 400));
    await server.kill();
    await server.start();
  }
  await recovered();
  return `killed ${KILLS} times`;
};

describe.each([
  ["node-redis", nodeRedis],
  ["ioredis", ioredis],
])("with %s", (name, connect) => {
  it("a server that is killed (SIGKILL) and restarted under 16 retrying writers keeps every acknowledged batch once, whole and in order, with matching indexes", async () => {
    const config = { keyPrefix: `killed-${name}:` };
    const { ledger, failed, unretryable } = await withProviders(
      [connect(server.port)],
      (providers) => runLoad(providers, { title: `Redis, ${name}`, faults: killOften }),
      config,
    );
    expect.soft(unretryable).toEqual([]);
    // ioredis resends commands in flight automatically, so no write need fail.
    if (connect === nodeRedis) expect(failed).toBeGreaterThan(KILLS);
    expect(await problemsOf(ledger, config)).toEqual([]);
  });

  it("stores nothing twice if a retry follows a lost reply", async () => {
    const proxy = await startCutProxy(
      server.port,
      (request) => request.includes("to be lost") && proxy.cuts() === 0,
    );
    await withProviders(
      [connect(proxy.port)],
      async ([provider]) => {
        if (provider === undefined) throw new Error("no provider");
        await provider.storeMessages("c", [{ role: "user", content: "first" }]);
        const observed = observe(provider);
        const appended = withRetry(observed.provider, PATIENT).appendMessages("c", [
          { role: "user", content: "to be lost" },
        ]);
        expect(await appended).toMatchObject({ success: true });
        expect(proxy.cuts()).toBe(1);
        expect(observed.failed()).toBe(connect === nodeRedis ? 1 : 0);
        expect(await provider.getConversation("c")).toMatchObject({
          data: {
            messages: [{ content: "first" }, { content: "to be lost" }],
            metadata: { version: 2 },
          },
        });
      },
      { keyPrefix: `cut-once-${name}:` },
    );
    await proxy.stop();
  });

  it("loses and duplicates nothing if replies to 16 retrying writers are lost now and then", async () => {
    const config = { keyPrefix: `cut-often-${name}:` };
    const proxy = await startCutProxy(
      server.port,
      (request) => request.includes("shared-") && Math.random() < 1 / 20,
    );
    const faults: Faults = async (recovered) => {
      await until("Replies are lost", async () => proxy.cuts() >= LOST_REPLIES);
      await recovered();
      return `${proxy.cuts()} replies lost`;
    };
    const { ledger, unretryable } = await withProviders(
      [connect(proxy.port)],
      (providers) => runLoad(providers, { title: `Redis, ${name}`, faults }),
      config,
    );
    await proxy.stop();
    expect.soft(unretryable).toEqual([]);
    expect(await problemsOf(ledger, config)).toEqual([]);
  });
});
