import { NO_AMOUNTS } from "../../ledger/amounts.ts";
import type {
  LedgerAmounts,
  LedgerEntry,
  LedgerGroup,
  LedgerQuery,
  LedgerRow,
  LedgerScope,
  LedgerStore,
} from "../../ledger/ledger.ts";
import { expectOk } from "../fixtures/expectations.ts";

/** What a rule about ledgers gets for its test. */
export interface LedgerScenario {
  readonly ledger: LedgerStore;
  /** Another ledger on the same storage. It is the same object as `ledger` if the storage only exists in one process. */
  readonly other: LedgerStore;
  /** Makes everything that is stored older by whole days. */
  readonly age: (days: number) => Promise<void>;
}

/** Rules by title. A rule rejects if the ledger breaks it. */
export type LedgerRules = Readonly<Record<string, (scenario: LedgerScenario) => Promise<void>>>;

/** Returns an entry of one call. */
export const callOf = (entry: Partial<LedgerEntry> = {}): LedgerEntry => ({
  agentName: "agent",
  model: "model",
  calls: 1,
  ...entry,
});

/** Returns amounts in which all other fields are 0. */
export const amounts = (some: Partial<LedgerAmounts> = {}): LedgerAmounts => ({ ...NO_AMOUNTS, ...some });

export const ofUser = (id: string, period: LedgerScope["period"] = "day"): LedgerScope => ({
  ...{ of: "user", id, period },
});
export const ofTenant = (id: string, period: LedgerScope["period"] = "day"): LedgerScope => ({
  ...{ of: "tenant", id, period },
});
export const ofEveryone = (period: LedgerScope["period"] = "day"): LedgerScope => ({
  of: "everyone",
  period,
});

export async function record(ledger: LedgerStore, ...entries: readonly LedgerEntry[]): Promise<void> {
  expectOk(await ledger.record(entries));
}

export const read = async (
  ledger: LedgerStore,
  ...scopes: readonly LedgerScope[]
): Promise<readonly LedgerAmounts[]> => expectOk(await ledger.amounts(scopes));

/** Returns a report of this month. */
export const report = async (
  ledger: LedgerStore,
  by: readonly LedgerGroup[],
  query: Partial<LedgerQuery> = {},
): Promise<readonly LedgerRow[]> => expectOk(await ledger.report({ by, ...query }));

/** Returns the current day by the clock of the storage. Some sums of this month must be of this day. */
export async function today(ledger: LedgerStore): Promise<string> {
  const days = (await report(ledger, ["day"])).map(({ day = "" }) => day);
  return days.toSorted().at(-1) ?? "";
}

/** Returns the day that is `days` days before the day `day`. */
export const before = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
