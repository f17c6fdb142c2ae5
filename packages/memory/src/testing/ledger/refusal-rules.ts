import { expect } from "vitest";
import { expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { refusedIds } from "../fixtures/hostile-ids.ts";
import { callOf, type LedgerRules, ofEveryone, ofUser, read, record, report } from "./scenario.ts";

export const refusalRules: LedgerRules = {
  "refuses invalid entries, and then records none of them": async ({ ledger }) => {
    const refuse = (entry: object, path: string) =>
      expectInvalid(
        () => Reflect.apply(ledger.record, undefined, [[callOf({ userId: "u" }), { ...callOf(), ...entry }]]),
        path,
      );
    for (const amount of [-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, 1n])
      for (const field of ["calls", "inputTokens", "cost"])
        await refuse({ [field]: amount }, `entries[1].${field}`);
    for (const id of refusedIds)
      for (const field of ["userId", "tenantId", "agentName", "model", "tool"])
        await refuse({ [field]: id }, `entries[1].${field}`);
    await refuse({ userId: undefined }, "entries[1].userId");
    await refuse({ model: undefined }, "entries[1].model");
    await refuse({ cacheMiss: "other" }, "entries[1].cacheMiss");
    await refuse({ tokens: 1 }, "entries[1].tokens");
    await expectInvalid(() => Reflect.apply(ledger.record, undefined, [undefined]), "entries");
    await expectInvalid(() => Reflect.apply(ledger.record, undefined, [[null]]), "entries[0]");
    expect(await read(ledger, ofUser("u"), ofEveryone())).toMatchObject([{ calls: 0 }, { calls: 0 }]);
    expect(await report(ledger, ["user"])).toEqual([]);
  },
  "refuses invalid scopes": async ({ ledger }) => {
    const refuse = (scope: unknown, path: string) =>
      expectInvalid(() => Reflect.apply(ledger.amounts, undefined, [[ofEveryone(), scope]]), path);
    for (const id of refusedIds) await refuse({ of: "user", id, period: "day" }, "scopes[1].id");
    await refuse({ of: "tenant", period: "day" }, "scopes[1].id");
    await refuse({ of: "everyone", id: "u", period: "day" }, "scopes[1].id");
    await refuse({ of: "user", id: "u", period: "year" }, "scopes[1].period");
    await refuse({ of: "agent", id: "u", period: "day" }, "scopes[1].of");
  },
  "refuses invalid queries": async ({ ledger }) => {
    const refuse = (query: object, path: string) =>
      expectInvalid(() => Reflect.apply(ledger.report, undefined, [{ by: ["day"], ...query }]), path);
    for (const id of [...refusedIds, undefined]) await refuse({ userId: id }, "query.userId");
    await refuse({ tenantId: undefined }, "query.tenantId");
    await refuse({ userID: "u" }, "query.userID");
    for (const date of ["2026-02-30", "2026-2-1", "yesterday", "0000-01-01", "1969-12-31", 5, new Date()])
      for (const field of ["from", "to"]) await refuse({ [field]: date }, `query.${field}`);
    await refuse({ by: [] }, "query.by");
    await refuse({ by: ["day", "user", "day"] }, "query.by");
    await refuse({ by: ["userId"] }, "query.by[0]");
    for (const limit of [0, -1, 1.5, "1"]) await refuse({ limit }, "query.limit");
  },
  "refuses to erase an invalid id": async ({ ledger }) => {
    await record(ledger, callOf());
    for (const id of [...refusedIds, undefined])
      await expectInvalid(() => Reflect.apply(ledger.eraseUser, undefined, [id]), "userId");
  },
  "fails after close, and closes twice": async ({ ledger }) => {
    await record(ledger, callOf());
    expectOk(await ledger.close());
    expectOk(await ledger.close());
    const late = [
      ledger.record([callOf()]),
      ledger.amounts([ofEveryone()]),
      ledger.report({ by: ["day"] }),
      ledger.eraseUser("u"),
    ];
    for (const result of await Promise.all(late)) {
      expect(expectError(result, "MemoryConnectionError").retryable).toBe(false);
    }
  },
};
