import type { CheckedTurns } from "./check.ts";
import type { LoadOutcome, TurnRecord } from "./processes.ts";

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function spread(turns: readonly TurnRecord[], field: "totalMs" | "waitedMs"): string {
  const sorted = turns.map((turn) => turn[field]).sort((a, b) => a - b);
  const [half, most, all] = [0.5, 0.99, 1].map((share) => seconds(quantile(sorted, share)));
  return `p50 ${half}, p99 ${most}, at most ${all}`;
}

/** The number of each outcome. */
export function countOutcomes({ turns }: LoadOutcome): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of turns.values()) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The share of turns that were followed by another process's turn. */
export const shareHandedOver = ({ handedOver, whole }: CheckedTurns): number => handedOver / whole;

/** A readable report. */
export function describeLoad(title: string, outcome: LoadOutcome, checked: CheckedTurns): string {
  const turns = [...outcome.turns.values()];
  const { calls, elapsedMs } = outcome;
  const perTurn = (count: number) => (count / turns.length).toFixed(1);
  const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
  return [
    `${title}: ${turns.length} turns in ${seconds(elapsedMs)}, ${Math.round((turns.length / elapsedMs) * 1_000)} a second`,
    `  ended: ${JSON.stringify(countOutcomes(outcome))}; refused and tried again: ${refused}`,
    `  stored: ${checked.whole} whole, ${checked.partial} in part`,
    `  a turn takes ${spread(turns, "totalMs")}; of that it waits ${spread(turns, "waitedMs")}`,
    `  a turn costs ${perTurn(calls.reads)} reads, ${perTurn(calls.headReads)} head reads, ${perTurn(calls.writes)} writes`,
    `  ${Math.round(shareHandedOver(checked) * 100)}% were followed by another process's, at most ${checked.longestStreak} in a row weren't`,
    "",
  ].join("\n");
}
