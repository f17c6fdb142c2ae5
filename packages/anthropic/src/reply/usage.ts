import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, type Fields, fieldsOf, isObject, knownCounts, listOf } from "@jaf/model-http";
import { withoutEmpty } from "../parts.ts";

/**
 * The usage that the service bills for the requests of one reply. `undefined` if it reports none. Input includes cache reads
 * and writes.
 *
 * A request may sample several times: for a tool of the service, a compaction, an advisor, a fallback model. The counts of
 * the reply leave some of these out, and `iterations` has all.
 */
export function usageOf(requests: readonly Fields[]): ModelUsage | undefined {
  const billed = (field: string): number | undefined =>
    sumOf(
      requests.map(({ [field]: told, iterations }) => {
        const all = listOf(iterations).map((iteration) => count(fieldsOf(iteration)[field]));
        return sumOf(all) ?? count(told);
      }),
    );
  const cachedInputTokens = billed("cache_read_input_tokens");
  const cacheWriteTokens = billed("cache_creation_input_tokens");
  const input = billed("input_tokens");
  return knownCounts({
    cost: sumOf(requests.map(({ cost }) => count(cost))),
    inputTokens: input === undefined ? undefined : input + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: billed("output_tokens"),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: sumOf(
      requests.map(({ output_tokens_details }) => count(fieldsOf(output_tokens_details)["thinking_tokens"])),
    ),
  });
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

/** What the usage holds besides the counts of `usageOf`, e.g. the number of searches. Numbers are sums. */
export function furtherUsage(requests: readonly Fields[]): Fields {
  const {
    input_tokens: _,
    output_tokens: __,
    cache_read_input_tokens: ___,
    cache_creation_input_tokens: ____,
    output_tokens_details: _____,
    ...further
  } = requests.map(withoutEmpty).reduce(joined, {});
  return further;
}

const joined = (one: Fields, other: Fields): Fields => ({
  ...one,
  ...Object.fromEntries(Object.entries(other).map(([name, value]) => [name, joinedValue(one[name], value)])),
});

function joinedValue(one: unknown, other: unknown): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  return isObject(one) && isObject(other) ? joined(one, other) : other;
}
