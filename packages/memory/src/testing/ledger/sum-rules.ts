import { expect } from "vitest";
import { storableIds } from "../fixtures/hostile-ids.ts";
import {
  amounts,
  callOf,
  type LedgerRules,
  ofEveryone,
  ofTenant,
  ofUser,
  read,
  record,
  report,
} from "./scenario.ts";

export const totalRules: LedgerRules = {
  "begins at zero, in every scope": async ({ ledger }) => {
    const scopes = [ofUser("u"), ofTenant("t", "month"), ofEveryone(), ofEveryone("month")];
    expect(await read(ledger, ...scopes)).toEqual(scopes.map(() => amounts()));
    expect(await read(ledger)).toEqual([]);
    expect(await report(ledger, ["day"])).toEqual([]);
  },
  "sums up every amount, by day and by month": async ({ ledger, other }) => {
    const some = { inputTokens: 10, outputTokens: 3, cachedInputTokens: 4, cacheWriteTokens: 2, cost: 0.5 };
    await record(ledger, callOf({ userId: "u", tenantId: "t", ...some, reasoningTokens: 1 }));
    await record(other, callOf({ userId: "u", tenantId: "t", ...some }));
    const sum = amounts({
      ...{ calls: 2, inputTokens: 20, outputTokens: 6, cachedInputTokens: 8, cacheWriteTokens: 4 },
      ...{ reasoningTokens: 1, cost: 1 },
    });
    for (const period of ["day", "month"] as const) {
      const scopes = [ofUser("u", period), ofTenant("t", period), ofEveryone(period)];
      for (const reader of [ledger, other]) expect(await read(reader, ...scopes)).toEqual([sum, sum, sum]);
    }
  },
  "counts each call for its user, its tenant and everyone": async ({ ledger }) => {
    await record(ledger, callOf({ userId: "a", tenantId: "t", cost: 1 }));
    await record(ledger, callOf({ userId: "b", tenantId: "t", cost: 2 }));
    await record(ledger, callOf({ tenantId: "other", cost: 4 }), callOf({ userId: "a", cost: 8 }));
    await record(ledger, callOf({ cost: 16 }));
    const scopes = [ofEveryone(), ofUser("b"), ofUser("a"), ofTenant("other"), ofTenant("t"), ofUser("t")];
    const costs = (await read(ledger, ...scopes)).map(({ cost }) => cost);
    expect(costs, "in the order of the scopes").toEqual([31, 2, 9, 4, 3, 0]);
  },
  "sums up fractions exactly": async ({ ledger }) => {
    for (let call = 0; call < 10; call++) await record(ledger, callOf({ userId: "u", cost: 0.1 }));
    const third = { calls: 1 / 3, inputTokens: 100 / 3, cost: 0.000_000_1 / 3 };
    await record(ledger, ...["x", "y", "z"].map((tool) => callOf({ userId: "u", tool, ...third })));
    const sum = amounts({ calls: 11, inputTokens: 100, cost: 1.000_000_1 });
    expect(await read(ledger, ofUser("u"), ofEveryone("month"))).toEqual([sum, sum]);
    expect(await report(ledger, ["user"])).toEqual([{ user: "u", ...sum }]);
  },
  "keeps large amounts exactly": async ({ ledger }) => {
    const inputTokens = 2 ** 52;
    await record(ledger, callOf({ userId: "u", inputTokens, cost: 123_456_789.25 }));
    await record(ledger, callOf({ userId: "u", inputTokens: inputTokens - 1, outputTokens: 1 }));
    const sum = amounts({ calls: 2, inputTokens: 2 ** 53 - 1, outputTokens: 1, cost: 123_456_789.25 });
    expect(await read(ledger, ofUser("u"))).toEqual([sum]);
  },
  "accepts entries without amounts, and no entries": async ({ ledger }) => {
    await record(ledger);
    expect(await report(ledger, ["user"])).toEqual([]);
    await record(ledger, { agentName: "agent", model: "model", userId: "u" });
    expect(await read(ledger, ofUser("u"))).toEqual([amounts()]);
  },
  "sums up several entries of one record that belong together": async ({ ledger }) => {
    await record(
      ledger,
      ...Array.from({ length: 300 }, (_, at) => callOf({ userId: `u${at % 3}`, cost: 1 })),
    );
    expect(await read(ledger, ofUser("u1"), ofEveryone())).toMatchObject([{ cost: 100 }, { cost: 300 }]);
    expect(await report(ledger, ["agent"])).toEqual([
      { agent: "agent", ...amounts({ calls: 300, cost: 300 }) },
    ]);
  },
  "confuses no ids of users and tenants": async ({ ledger }) => {
    const costs = new Map(storableIds.map((id, at) => [id, at + 1]));
    for (const [id, cost] of costs) await record(ledger, callOf({ userId: id, tenantId: id, cost }));
    for (const [id, cost] of costs)
      expect(await read(ledger, ofUser(id), ofTenant(id)), JSON.stringify(id)).toMatchObject([
        { cost },
        { cost },
      ]);
    const limit = costs.size;
    const rows = await report(ledger, ["user", "tenant"], { limit });
    expect(rows.length).toBe(limit);
    for (const { user, tenant, cost } of rows) expect([tenant, costs.get(user ?? "")]).toEqual([user, cost]);
  },
};

export const concurrencyRules: LedgerRules = {
  "counts all calls that are recorded at the same time": async ({ ledger, other }) => {
    const one = callOf({ userId: "u", tenantId: "t", inputTokens: 3, cost: 0.25 });
    const two = [callOf({ userId: "v", tenantId: "t", cost: 0.5 }), callOf({ ...one, tool: "search" })];
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? ledger : other)).flatMap((to) => [
      record(to, one),
      record(to, ...two),
      record(to, ...two.toReversed()),
    ]);
    await Promise.all(calls);
    const sums = await read(other, ofUser("u"), ofUser("v"), ofTenant("t"), ofEveryone("month"));
    const own = amounts({ calls: 120, inputTokens: 360, cost: 30 });
    const others = amounts({ calls: 80, cost: 40 });
    const all = amounts({ calls: 200, inputTokens: 360, cost: 70 });
    expect(sums).toEqual([own, others, all, all]);
    expect(await report(ledger, ["user"])).toEqual([
      { user: "v", ...others },
      { user: "u", ...own },
    ]);
  },
};

/** Only for stores whose sums are all on one server. */
export const atomicityRules: LedgerRules = {
  "shows a record in all sums or in none": async ({ ledger, other }) => {
    let writing = true;
    const write = async () => {
      for (let round = 0; round < 40; round++)
        await record(ledger, callOf({ userId: "u", tenantId: "t" }), callOf({ userId: "u", tool: "search" }));
      writing = false;
    };
    const look = async () => {
      while (writing) {
        const [user, tenant, everyone] = await read(other, ofUser("u"), ofTenant("t"), ofEveryone());
        expect([user?.calls, everyone?.calls]).toEqual([2 * (tenant?.calls ?? 0), 2 * (tenant?.calls ?? 0)]);
      }
    };
    await Promise.all([write(), look()]);
  },
};
