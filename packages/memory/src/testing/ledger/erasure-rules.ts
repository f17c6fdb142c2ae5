import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
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

export const erasureRules: LedgerRules = {
  "forgets who caused a user's amounts, and keeps the amounts": async ({ ledger, other }) => {
    await record(ledger, callOf({ userId: "u", tenantId: "t", cost: 1 }));
    await record(ledger, callOf({ userId: "u", tenantId: "t", cost: 2, tool: "search" }));
    await record(ledger, callOf({ tenantId: "t", cost: 4 }), callOf({ userId: "v", tenantId: "t", cost: 8 }));
    const [tenant, everyone, tools] = [ofTenant("t", "month"), ofEveryone(), ["tenant", "tool"] as const];
    const before = [await read(ledger, tenant, everyone), await report(ledger, tools)];
    expect(expectOk(await other.eraseUser("u"))).toBe(2);
    expect([await read(ledger, tenant, everyone), await report(ledger, tools)]).toEqual(before);
    expect(await report(ledger, ["user"])).toEqual([
      { user: "v", ...amounts({ calls: 1, cost: 8 }) },
      { user: null, ...amounts({ calls: 3, cost: 7 }) },
    ]);
    expect(await report(ledger, ["day"], { userId: "u" })).toEqual([]);
    expect(await read(ledger, ofUser("u"), ofUser("u", "month"), ofUser("v"))).toMatchObject([
      { cost: 0 },
      { cost: 0 },
      { cost: 8 },
    ]);
  },
  "forgets all days of a user": async ({ ledger, age }) => {
    for (const cost of [1, 2, 4]) {
      await record(ledger, callOf({ userId: "u", cost }));
      await age(40);
    }
    expect(expectOk(await ledger.eraseUser("u"))).toBe(3);
    const rows = await report(ledger, ["user", "day"], { from: "1970-01-01" });
    expect(rows.map(({ user, cost }) => [user, cost])).toEqual([
      [null, 4],
      [null, 2],
      [null, 1],
    ]);
  },
  "erases nobody else, whatever the id": async ({ ledger }) => {
    for (const id of storableIds) await record(ledger, callOf({ userId: id, tenantId: id, cost: 1 }));
    let left = storableIds.length;
    for (const id of storableIds) {
      expect(expectOk(await ledger.eraseUser(id)), JSON.stringify(id)).toBe(1);
      left -= 1;
      const users = (await report(ledger, ["user"])).flatMap(({ user }) => user ?? []);
      expect(users.length).toBe(left);
      expect(users).not.toContain(id);
    }
    expect(await read(ledger, ofEveryone(), ofTenant("*"))).toMatchObject([
      { cost: storableIds.length },
      { cost: 1 },
    ]);
  },
  "erases nothing twice, and nobody unknown": async ({ ledger }) => {
    expect(expectOk(await ledger.eraseUser("u"))).toBe(0);
    await record(ledger, callOf({ userId: "u", cost: 1 }));
    expect(expectOk(await ledger.eraseUser("u"))).toBe(1);
    expect(expectOk(await ledger.eraseUser("u"))).toBe(0);
    await record(ledger, callOf({ userId: "u", cost: 2 }));
    expect(await read(ledger, ofUser("u"), ofEveryone())).toMatchObject([{ cost: 2 }, { cost: 3 }]);
  },
  "loses no amounts to an erasure during writes": async ({ ledger, other }) => {
    const write = async () => {
      for (let round = 0; round < 30; round++)
        await record(ledger, callOf({ userId: "u", cost: 1 }), callOf({ userId: "u", tool: "x" }), callOf());
    };
    const erase = async () => {
      for (let round = 0; round < 10; round++) expectOk(await other.eraseUser("u"));
    };
    await Promise.all([write(), write(), erase()]);
    expectOk(await other.eraseUser("u"));
    expect(await report(ledger, ["user"])).toEqual([{ user: null, ...amounts({ calls: 180, cost: 60 }) }]);
    expect(await read(ledger, ofUser("u"), ofEveryone())).toMatchObject([{ cost: 0 }, { cost: 60 }]);
  },
};
