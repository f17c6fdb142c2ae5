import { expect } from "vitest";
import type { LedgerEntry, LedgerGroup } from "../../ledger/ledger.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { amounts, before, callOf, type LedgerRules, record, report, today } from "./scenario.ts";

const entries: readonly LedgerEntry[] = [
  callOf({ userId: "u", tenantId: "t", cost: 1, cacheMiss: "first-call" }),
  callOf({ userId: "u", tenantId: "t", cost: 2, tool: "search", cacheMiss: "tools" }),
  callOf({ userId: "v", tenantId: "t", cost: 4, tool: "search", model: "small" }),
  callOf({ userId: "v", cost: 8, agentName: "writer", cacheMiss: "expired" }),
  callOf({ tenantId: "other", cost: 16, agentName: "writer" }),
];

/** The costs of the groups of each grouping. */
const expected: Readonly<Partial<Record<LedgerGroup, readonly (readonly [string | null, number])[]>>> = {
  user: [
    [null, 16],
    ["v", 12],
    ["u", 3],
  ],
  tenant: [
    ["other", 16],
    [null, 8],
    ["t", 7],
  ],
  agent: [
    ["writer", 24],
    ["agent", 7],
  ],
  model: [
    ["model", 27],
    ["small", 4],
  ],
  tool: [
    [null, 25],
    ["search", 6],
  ],
  cacheMiss: [
    [null, 20],
    ["expired", 8],
    ["tools", 2],
    ["first-call", 1],
  ],
};

export const reportRules: LedgerRules = {
  "groups by each field, the highest cost first": async ({ ledger, other }) => {
    await record(ledger, ...entries);
    for (const [field, groups] of Object.entries(expected)) {
      const rows = await report(other, [field as LedgerGroup]);
      expect(rows.map((row) => [row[field as LedgerGroup], row.cost])).toEqual(groups);
    }
    expect(await report(ledger, ["day"])).toEqual([
      { day: await today(ledger), ...amounts({ calls: 5, cost: 31 }) },
    ]);
  },
  "groups by several fields, and shows no others": async ({ ledger }) => {
    await record(ledger, ...entries);
    expect(await report(ledger, ["tenant", "tool"])).toEqual([
      { tenant: "other", tool: null, ...amounts({ calls: 1, cost: 16 }) },
      { tenant: null, tool: null, ...amounts({ calls: 1, cost: 8 }) },
      { tenant: "t", tool: "search", ...amounts({ calls: 2, cost: 6 }) },
      { tenant: "t", tool: null, ...amounts({ calls: 1, cost: 1 }) },
    ]);
    const all: readonly LedgerGroup[] = ["cacheMiss", "tool", "model", "agent", "tenant", "user", "day"];
    const rows = await report(ledger, all);
    expect(rows.length).toBe(5);
    expect(rows[4]).toEqual({
      ...{ day: await today(ledger), user: "u", tenant: "t", agent: "agent", model: "model", tool: null },
      ...{ cacheMiss: "first-call", ...amounts({ calls: 1, cost: 1 }) },
    });
  },
  "shows only the user and the tenant that the query names": async ({ ledger }) => {
    await record(ledger, ...entries);
    expect(await report(ledger, ["user"], { userId: "v" })).toMatchObject([{ user: "v", cost: 12 }]);
    expect(await report(ledger, ["user"], { tenantId: "t" })).toMatchObject([
      { user: "v", cost: 4 },
      { user: "u", cost: 3 },
    ]);
    expect(await report(ledger, ["model"], { userId: "v", tenantId: "t" })).toMatchObject([
      { model: "small" },
    ]);
    expect(await report(ledger, ["day"], { userId: "nobody" })).toEqual([]);
  },
  "sorts equal costs by their tokens, and limits the rows": async ({ ledger }) => {
    const used = { a: [1, 1], b: [50, 2], c: [10, 45], d: [0, 0] } as const;
    for (const [tool, [inputTokens, outputTokens]] of Object.entries(used))
      await record(ledger, callOf({ tool, inputTokens, outputTokens, cost: tool === "d" ? 1 : 0 }));
    const tools = async (limit?: number) =>
      (await report(ledger, ["tool"], limit === undefined ? {} : { limit })).map(({ tool }) => tool);
    expect(await tools()).toEqual(["d", "c", "b", "a"]);
    expect(await tools(2)).toEqual(["d", "c"]);
  },
  "shows the days that the query names, and this month without them": async ({ ledger, age }) => {
    await record(ledger, callOf({ cost: 1 }));
    await age(70);
    await record(ledger, callOf({ cost: 2 }));
    await age(1);
    await record(ledger, callOf({ cost: 4 }));
    const now = await today(ledger);
    const [yesterday, from] = [before(now, 1), before(now, 71)];
    const days = async (query: object) => {
      const rows = await report(ledger, ["day"], query);
      return rows.map(({ day, cost }) => [day, cost]);
    };
    const [first, second, third] = [
      [from, 1],
      [yesterday, 2],
      [now, 4],
    ];
    expect(await days({ from })).toEqual([third, second, first]);
    expect(await days({ from, to: yesterday })).toEqual([second, first]);
    expect(await days({ from: before(now, 70) })).toEqual([third, second]);
    expect(await days({ from: now })).toEqual([third]);
    expect(await days({}), "from the first of the month").toEqual(
      now.endsWith("-01") ? [third] : [third, second],
    );
    expect(await days({ to: from }), "from the first of that month").toEqual([first]);
    expect(await days({ from: now, to: from })).toEqual([]);
    expect(await days({ from: "1970-01-01", to: "9999-12-31" })).toEqual([third, second, first]);
  },
  "keeps every name exactly": async ({ ledger }) => {
    const named = storableIds.map((name, at) =>
      callOf({ agentName: name, model: name, tool: name, cost: at + 1 }),
    );
    await record(ledger, ...named);
    const rows = await report(ledger, ["agent", "model", "tool"]);
    expect(rows.map(({ agent }) => agent)).toEqual(storableIds.toReversed());
    for (const { agent, model, tool } of rows) expect([model, tool]).toEqual([agent, agent]);
  },
  "keeps names of the greatest length in every field": async ({ ledger }) => {
    // Texts that a store can't compress.
    const long = () =>
      Array.from({ length: 255 }, () =>
        String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000)),
      ).join("");
    const entry = callOf({
      userId: long(),
      tenantId: long(),
      agentName: long(),
      model: long(),
      tool: long(),
    });
    await record(ledger, entry);
    await record(ledger, entry);
    const { userId: user, tenantId: tenant, agentName: agent, model, tool } = entry;
    expect(await report(ledger, ["user", "tenant", "agent", "model", "tool"])).toEqual([
      { user, tenant, agent, model, tool, ...amounts({ calls: 2 }) },
    ]);
  },
};

export const periodRules: LedgerRules = {
  "begins again at midnight, and with each month": async ({ ledger, other, age }) => {
    const scopes = (period: "day" | "month") => [
      { of: "user", id: "u", period } as const,
      { of: "tenant", id: "t", period } as const,
      { of: "everyone", period } as const,
    ];
    const costs = async (period: "day" | "month") => {
      const read = await other.amounts(scopes(period));
      return read.success ? read.data.map(({ cost }) => cost) : read.error;
    };
    const spend = (cost: number) => record(ledger, callOf({ userId: "u", tenantId: "t", cost }));
    await spend(1);
    await age(1);
    expect(await costs("day")).toEqual([0, 0, 0]);
    await spend(2);
    expect(await costs("day")).toEqual([2, 2, 2]);
    const month = (await today(ledger)).endsWith("-01") ? 2 : 3;
    expect(await costs("month")).toEqual([month, month, month]);
    await age(40);
    expect(await costs("month")).toEqual([0, 0, 0]);
    await spend(4);
    expect([await costs("day"), await costs("month")]).toEqual([
      [4, 4, 4],
      [4, 4, 4],
    ]);
  },
};
