import type { ModelOrigin } from "@jaf/memory";
import * as z from "zod";

/** The tokens that a model call used. Token counts that the model provider doesn't report are absent. */
export interface ModelUsage {
  /** The number of input tokens, including tokens of the prompt cache. */
  readonly inputTokens?: number;
  /** The number of output tokens, including tokens used for reasoning. */
  readonly outputTokens?: number;
  /** The number of input tokens that were read from the prompt cache of the model provider. */
  readonly cachedInputTokens?: number;
  /** The number of input tokens that were written to the prompt cache. Some model providers charge more for them. */
  readonly cacheWriteTokens?: number;
  /** The number of output tokens that were used for reasoning. */
  readonly reasoningTokens?: number;
  /** What the service says that the call cost, in the service's currency. Absent: the service doesn't say it. */
  readonly cost?: number;
  /**
   * `true` if the input or output tokens are at least partly estimated, because the model provider didn't report them.
   * Otherwise absent.
   */
  readonly estimated?: true;
}

/** The names of the numbers in {@link ModelUsage}. */
export const USAGE_COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
] as const satisfies readonly (keyof ModelUsage)[];

type Counts = { -readonly [Field in keyof ModelUsage]: ModelUsage[Field] };

/** Returns the valid token counts that a model provider reported; `undefined` if there are none. */
export function usageIn(reported: unknown): ModelUsage | undefined {
  if (typeof reported !== "object" || reported === null) return undefined;
  const given: Readonly<Record<string, unknown>> = { ...reported };
  const usage: Counts = {};
  for (const name of USAGE_COUNTS) {
    const count = given[name];
    if (typeof count === "number" && Number.isFinite(count) && count >= 0) usage[name] = count;
  }
  if (Object.keys(usage).length === 0) return undefined;
  return given["estimated"] === true ? { ...usage, estimated: true } : usage;
}

/**
 * Returns the sum of both usages, field by field; `undefined` if both are `undefined`. A field that both lack is
 * absent.
 */
export function sumOfUsage(
  one: ModelUsage | undefined,
  other: ModelUsage | undefined,
): ModelUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: Counts = {};
  for (const count of USAGE_COUNTS) {
    const tokens = (one[count] ?? 0) + (other[count] ?? 0);
    if (one[count] !== undefined || other[count] !== undefined) sum[count] = tokens;
  }
  if (one.estimated === true || other.estimated === true) sum.estimated = true;
  return sum;
}

/** The price of a million tokens, in any currency. */
export interface ModelPrice {
  /** The price of a million input tokens. */
  readonly input: number;
  /** The price of a million output tokens, including reasoning tokens. */
  readonly output: number;
  /** The price of a million input tokens that were read from the prompt cache. Default: `input`. */
  readonly cachedInput?: number;
  /** The price of a million input tokens that were written to the prompt cache. Default: `input`. */
  readonly cacheWrite?: number;
}

/**
 * Prices by `"provider/model"` (the names in a reply's `origin`), or by the model's name alone. If both keys match, the
 * price of `"provider/model"` applies.
 */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

export const amount = z.number().min(0);

export const pricesSchema = z.record(
  z.string(),
  z.strictObject({
    input: amount,
    output: amount,
    cachedInput: amount.optional(),
    cacheWrite: amount.optional(),
  }),
  { error: "expected a plain object of prices by the model's name" },
);

const MILLION = 1_000_000;

/**
 * Returns the cost of the tokens, in the currency of the price. Tokens that the model provider doesn't report cost nothing.
 *
 * @example
 * ```ts
 * import { costOf } from "@jaf/core";
 *
 * const price = { input: 2, output: 8, cachedInput: 0.5 };
 * const cost = costOf({ inputTokens: 10_000, cachedInputTokens: 8_000, outputTokens: 500 }, price);
 * console.log(cost); // 0.012
 * ```
 */
export function costOf(usage: ModelUsage, price: ModelPrice): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  const plainTokens = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const cost =
    plainTokens * input +
    cachedInputTokens * cachedInput +
    cacheWriteTokens * cacheWrite +
    outputTokens * output;
  return cost / MILLION;
}

/**
 * Returns the price of a model; `undefined` if it has none. `name`: the model that was called; `origin`: the model that
 * replied.
 */
export function priceOf(
  prices: ModelPrices | undefined,
  { name, origin }: { readonly name: string; readonly origin?: ModelOrigin | undefined },
): ModelPrice | undefined {
  if (prices === undefined) return undefined;
  const names = origin === undefined ? [name] : [`${origin.provider}/${origin.model}`, origin.model, name];
  const known = names.find((each) => Object.hasOwn(prices, each));
  return known === undefined ? undefined : prices[known];
}

/** Returns whether the prices have a price for a model with this name, from any model provider. */
export const hasPrice = (prices: ModelPrices | undefined, name: string): boolean =>
  prices !== undefined &&
  (Object.hasOwn(prices, name) || Object.keys(prices).some((key) => key.endsWith(`/${name}`)));
