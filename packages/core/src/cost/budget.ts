import { lazy } from "@jaf/memory/engine";
import * as z from "zod";

/** The limits of a budget. An absent limit means no limit. */
export interface BudgetLimits {
  /** In the currency of `RunConfig.prices`, which must have a price for each model that is called. */
  readonly maxCost?: number;
  /** Input and output tokens together, as far as the provider reports them. */
  readonly maxTokens?: number;
}

/** How much a run may use, and how much all runs of its stored conversation. */
export interface RunBudget {
  readonly run?: BudgetLimits;
  /** Needs `memory.autoStore`. */
  readonly conversation?: BudgetLimits;
}

const amount = lazy(() => z.number().min(0));
const limits = lazy(() => z.strictObject({ maxCost: amount().optional(), maxTokens: amount().optional() }));

export const budgetSchema = lazy(() =>
  z.strictObject({ run: limits().optional(), conversation: limits().optional() }),
);

export const pricesSchema = lazy(() =>
  z.record(
    z.string(),
    z.strictObject({
      input: amount(),
      output: amount(),
      cachedInput: amount().optional(),
      cacheWrite: amount().optional(),
    }),
  ),
);

const BUDGET = "an object of run and conversation, each of maxCost and maxTokens (numbers from 0)";
const PRICES = "objects of input, output, cachedInput and cacheWrite (numbers from 0), by the model's name";

/** What is wrong with prices and budget; `undefined`: nothing. */
export function costFault(given: {
  readonly prices?: unknown;
  readonly budget?: unknown;
}): string | undefined {
  const { prices, budget } = given;
  if (prices !== undefined && !pricesSchema().safeParse(prices).success) return `prices: expected ${PRICES}`;
  if (budget === undefined) return undefined;
  const parsed = budgetSchema().safeParse(budget);
  if (!parsed.success) return `budget: expected ${BUDGET}`;
  const { run, conversation } = parsed.data;
  const isPriced = prices !== undefined || (run?.maxCost ?? conversation?.maxCost) === undefined;
  return isPriced ? undefined : "prices: expected the prices that budget.maxCost counts by";
}
