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

const amount = z.number().min(0);
const limits = z.strictObject({ maxCost: amount.optional(), maxTokens: amount.optional() });

export const budgetSchema = z.strictObject(
  { run: limits.optional(), conversation: limits.optional() },
  { error: "expected an object of run and conversation" },
);

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
