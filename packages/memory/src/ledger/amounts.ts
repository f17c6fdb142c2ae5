import type { LedgerAmounts } from "./ledger.ts";

/** The fields of `LedgerAmounts`, in their order. A backend can store the amounts as a list in this order. */
export const LEDGER_AMOUNTS = [
  "calls",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
] as const satisfies readonly (keyof LedgerAmounts)[];

/** Returns amounts whose fields `of` returns. */
export const amountsOf = (of: (field: keyof LedgerAmounts) => number): LedgerAmounts => ({
  calls: of("calls"),
  inputTokens: of("inputTokens"),
  outputTokens: of("outputTokens"),
  cachedInputTokens: of("cachedInputTokens"),
  cacheWriteTokens: of("cacheWriteTokens"),
  reasoningTokens: of("reasoningTokens"),
  cost: of("cost"),
});

export const NO_AMOUNTS: LedgerAmounts = amountsOf(() => 0);

export const addAmounts = (a: LedgerAmounts, b: LedgerAmounts): LedgerAmounts =>
  amountsOf((field) => a[field] + b[field]);

/** Rounds amounts to twelve decimal places, so that the errors of binary fractions don't show: 0.1 + 0.2 is 0.3. */
export const roundAmounts = (amounts: LedgerAmounts): LedgerAmounts =>
  amountsOf((field) => Number(amounts[field].toFixed(12)));
