import type { ModelOrigin } from "@jaf/memory";
import * as z from "zod";

/** The tokens that a model call used. Counts that the provider doesn't report are absent. */
export interface ModelUsage {
  /** All input tokens, including those of the prompt cache. */
  readonly inputTokens?: number;
  /** All output tokens, including those for reasoning. */
  readonly outputTokens?: number;
  /** The input tokens that were read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** The input tokens that were written to the cache. Some providers charge more for them. */
  readonly cacheWriteTokens?: number;
  /** The output tokens that were used for reasoning. */
  readonly reasoningTokens?: number;
  /** Whether input or output tokens are estimated in part, because a reply had no usage. Otherwise absent. */
  readonly estimated?: true;
}

/** The names of all token counts. */
export const USAGE_COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof ModelUsage)[];

type Counts = { -readonly [Field in keyof ModelUsage]: ModelUsage[Field] };

/** Returns the counts that a provider reported, without those that are no numbers from 0; `undefined` if none is left. */
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

/** Returns the sum of both usages, with the counts that are known; `undefined` if none is. */
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
  /** For input tokens. */
  readonly input: number;
  /** For output tokens. Also applies to reasoning tokens. */
  readonly output: number;
  /** For input that was read from the provider's prompt cache. Default: `input`. */
  readonly cachedInput?: number;
  /** For input that was written to the cache. Default: `input`. */
  readonly cacheWrite?: number;
}

/** Prices by `"provider/model"` (the names in `origin`), or by the model's name alone. `"provider/model"` takes precedence. */
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
 * Returns the cost of the tokens, in the currency of the price. Tokens that the provider doesn't report cost nothing.
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

/** Returns the price; `undefined` if there is none. `name`: the called model; `origin`: the model that replied. */
export function priceOf(
  prices: ModelPrices | undefined,
  { name, origin }: { readonly name: string; readonly origin?: ModelOrigin | undefined },
): ModelPrice | undefined {
  if (prices === undefined) return undefined;
  const names = origin === undefined ? [name] : [`${origin.provider}/${origin.model}`, origin.model, name];
  const known = names.find((each) => Object.hasOwn(prices, each));
  return known === undefined ? undefined : prices[known];
}

/** Returns whether replies of the model with this name have a price, for any provider. */
export const hasPrice = (prices: ModelPrices | undefined, name: string): boolean =>
  prices !== undefined &&
  (Object.hasOwn(prices, name) || Object.keys(prices).some((key) => key.endsWith(`/${name}`)));
