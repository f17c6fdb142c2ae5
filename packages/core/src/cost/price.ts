import type { ModelOrigin } from "@jaf/memory";
import type { ModelUsage } from "../model/completion.ts";

/** What a million tokens cost, in whatever currency the application counts in. */
export interface ModelPrice {
  readonly input: number;
  /** Also of the tokens that a model thinks with. */
  readonly output: number;
  /** Of input that was read from the provider's prompt cache. Default: as `input`. */
  readonly cachedInput?: number;
  /** Of input that was written to it. Default: as `input`. */
  readonly cacheWrite?: number;
}

/** By `"provider/model"`, as `origin` names them, or by the model's name alone. The former counts where both are there. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

const MILLION = 1_000_000;

/** What these tokens cost. Those that the provider doesn't tell cost nothing. */
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

/** `undefined` where none is given. `name`: of the model that was asked; `origin`: of the one that replied. */
export function priceOf(
  prices: ModelPrices | undefined,
  { name, origin }: { readonly name: string; readonly origin?: ModelOrigin | undefined },
): ModelPrice | undefined {
  if (prices === undefined) return undefined;
  const names = origin === undefined ? [name] : [`${origin.provider}/${origin.model}`, origin.model, name];
  const known = names.find((each) => Object.hasOwn(prices, each));
  return known === undefined ? undefined : prices[known];
}

/** Whether a reply of the model of this name will have a price, whichever provider gives it. */
export const hasPrice = (prices: ModelPrices | undefined, name: string): boolean =>
  prices !== undefined &&
  (Object.hasOwn(prices, name) || Object.keys(prices).some((key) => key.endsWith(`/${name}`)));
