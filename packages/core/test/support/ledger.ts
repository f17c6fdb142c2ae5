import type { Ledger, LedgerAmounts, LedgerEntry, LedgerScope } from "@jaf/memory";
import { createFailure, createMemoryStorageError, createSuccess } from "@jaf/memory/internal";

const FIELDS = [
  "calls",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
] as const satisfies readonly (keyof LedgerAmounts)[];

/** Adds up entries. */
export const sumOfEntries = (entries: readonly LedgerEntry[]): LedgerAmounts => {
  const sum: Record<(typeof FIELDS)[number], number> = Object.fromEntries(
    FIELDS.map((field) => [field, 0]),
  ) as Record<(typeof FIELDS)[number], number>;
  for (const entry of entries) for (const field of FIELDS) sum[field] += entry[field] ?? 0;
  return sum;
};

/** A ledger that keeps all entries, and fails while `isDown` is `true`. */
export function createEntryLedger() {
  const entries: LedgerEntry[] = [];
  const asked: (readonly LedgerScope[])[] = [];
  const state = { isDown: false };
  const failing = (operation: string) =>
    createFailure(createMemoryStorageError(operation, "the store is down", { retryable: true }));
  const isOf =
    ({ of, id }: LedgerScope) =>
    ({ userId, tenantId }: LedgerEntry) =>
      of === "everyone" || id === (of === "user" ? userId : tenantId);
  const store: Ledger = {
    record: async (added) => {
      if (state.isDown) return failing("record");
      entries.push(...added);
      return createSuccess(undefined);
    },
    amounts: async (scopes) => {
      asked.push(scopes);
      if (state.isDown) return failing("amounts");
      return createSuccess(scopes.map((scope) => sumOfEntries(entries.filter(isOf(scope)))));
    },
    report: async () => createSuccess([]),
    eraseUser: async () => createSuccess(0),
  };
  return { store, entries, asked, state };
}
