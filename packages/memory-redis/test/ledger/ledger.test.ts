import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRedisLedger } from "../../src/index.ts";
import { calendar } from "../../src/ledger/scripts.ts";
import { ageLedger, describeLedgerOn } from "../support/ledger.ts";
import { freshPrefix } from "../support/stores.ts";

describeLedgerOn("node-redis");

const call = { userId: "user-to-erase", agentName: "agent", model: "model", calls: 1, cost: 1 };
const DAY_S = 86_400;

describe("the keys of a ledger", () => {
  const client = createClient({ url: inject("redisUrl") });
  beforeAll(() => client.connect());
  afterAll(() => client.close());

  async function open(config: { readonly retentionDays?: number } = {}) {
    const keyPrefix = freshPrefix();
    const ledger = await createRedisLedger({ keyPrefix, ...config }, client);
    const keys = () => client.keys(`${keyPrefix}*`);
    return { ledger, keyPrefix, keys, age: (days: number) => ageLedger(client, keyPrefix, days) };
  }

  it("have nothing of an erased user", async () => {
    const { ledger, keys, age } = await open();
    await ledger.record([call, { ...call, tenantId: "t", tool: "search" }]);
    await age(40);
    await ledger.record([call]);
    expect(await ledger.eraseUser("user-to-erase")).toEqual({ success: true, data: 3 });
    const left = await keys();
    expect(left.length).toBe(4);
    for (const key of left)
      expect(JSON.stringify([key, await client.hGetAll(key)])).not.toContain("user-to-erase");
  });

  it("all expire: sums after retentionDays, totals when their month is over", async () => {
    const { ledger, keys, keyPrefix } = await open({ retentionDays: 30 });
    await ledger.record([call]);
    const sums = await client.keys(`${keyPrefix}ledger-sums:*`);
    expect(sums.length).toBe(1);
    for (const key of await keys()) {
      const ttl = await client.ttl(key);
      expect(ttl).toBeGreaterThan((sums.includes(key) ? 30 : 31) * DAY_S - 60);
      expect(ttl).toBeLessThan(33 * DAY_S);
    }
  });

  it("don't show sums that are older than retentionDays, even if they haven't expired", async () => {
    const { ledger, age } = await open({ retentionDays: 10 });
    const report = () => ledger.report({ by: ["user"], from: "1970-01-01" });
    await ledger.record([call]);
    await age(10);
    expect(await report()).toMatchObject({ data: [{ calls: 1 }] });
    await age(1);
    expect(await report()).toEqual({ success: true, data: [] });
  });

  it("keep the totals of a later day if the server's clock was set back", async () => {
    const { ledger, age } = await open();
    const spend = () => ledger.record([{ ...call, userId: "u" }]);
    const spent = () => ledger.amounts([{ of: "user", id: "u", period: "day" }]);
    await spend();
    await age(-1);
    expect(await spent()).toMatchObject({ data: [{ calls: 1 }] });
    await spend();
    expect(await spent()).toMatchObject({ data: [{ calls: 2 }] });
  });

  it("count a record once if the client sends it twice", async () => {
    const { keyPrefix } = await open();
    const sentinel = {
      isOpen: true,
      multi: () => client.multi(),
      getMasterNode: () => undefined,
      sendCommand: async (_: boolean, args: string[]) => {
        await client.sendCommand(args).catch(() => undefined);
        return client.sendCommand(args);
      },
    };
    const ledger = await createRedisLedger({ keyPrefix }, sentinel);
    await ledger.record([call]);
    await ledger.record([call]);
    expect(await ledger.amounts([{ of: "everyone", period: "day" }])).toMatchObject({ data: [{ calls: 2 }] });
  });
});

describe("the calendar of the scripts", () => {
  it("knows every date from 1970 to 2170", async () => {
    const client = await createClient({ url: inject("redisUrl") }).connect();
    const script = `${calendar}\nlocal dates = {}\nfor number = 0, 73049 do dates[number + 1] = dateOf(number) end\nreturn dates`;
    const dates = await client.eval(script);
    const expected = Array.from({ length: 73_050 }, (_, day) =>
      new Date(day * DAY_S * 1_000).toISOString().slice(0, 10),
    );
    expect(dates).toEqual(expected);
    await client.close();
  });
});
