import {
  amountsOf,
  LEDGER_AMOUNTS,
  type LedgerAmounts,
  type LedgerKey,
  type LedgerSum,
} from "@jaf/memory/adapter";

/** Returns the name of a sum: the field of its hash. */
export const nameOf = ({ user, tenant, agent, model, tool, cacheMiss }: LedgerKey): string =>
  JSON.stringify([user, tenant, agent, model, tool, cacheMiss]);

/** Returns a pattern for `HSCAN` that matches exactly the names of the user's sums. */
export const namesOfUser = (userId: string): string =>
  `${`[${JSON.stringify(userId)},`.replaceAll(/[*?[\]\\]/g, "\\$&")}*`;

export const toText = (amounts: LedgerAmounts): string =>
  LEDGER_AMOUNTS.map((field) => String(amounts[field])).join(" ");

/** Converts a text of `toText` into amounts. The text `""` means that all are 0. */
export function fromText(text: string): LedgerAmounts {
  const numbers = text.split(" ").map(Number);
  return amountsOf((field) => numbers[LEDGER_AMOUNTS.indexOf(field)] ?? 0);
}

export function toSum(day: string, name: string, amounts: string): LedgerSum {
  const [user, tenant, agent, model, tool, cacheMiss] = JSON.parse(name) as [
    ...[LedgerKey["user"], LedgerKey["tenant"], LedgerKey["agent"], LedgerKey["model"]],
    ...[LedgerKey["tool"], LedgerKey["cacheMiss"]],
  ];
  return { day, user, tenant, agent, model, tool, cacheMiss, amounts: fromText(amounts) };
}
