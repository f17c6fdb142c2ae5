import type { ModelUsage } from "@jaf/core";

export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Those that the endpoint says; `undefined` where it says none. */
export function knownCounts(
  counts: Readonly<Record<keyof ModelUsage, number | undefined>>,
): ModelUsage | undefined {
  const known = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
