import type { ModelOrigin } from "@jaf/memory";
import * as z from "zod";
import type { BudgetExceeded, JAFError } from "../errors.ts";
import { amount, costOf, hasPrice, type ModelPrices, type ModelUsage, priceOf, sumOfUsage } from "./cost.ts";

/** The limits of a budget. An absent limit means no limit. */
export interface BudgetLimits {
  /** The maximum cost, in the currency of `RunConfig.prices`, which must have a price for each called model. */
  readonly maxCost?: number;
  /** The maximum sum of input and output tokens. Tokens that the provider doesn't report aren't counted. */
  readonly maxTokens?: number;
}

/** Limits for a run, and for all runs of its stored conversation together. */
export interface RunBudget {
  /** The limits for one run. */
  readonly run?: BudgetLimits;
  /** The limits for all runs of the stored conversation. Needs `memory.autoStore`. */
  readonly conversation?: BudgetLimits;
}

const limitsSchema = z.strictObject({ maxCost: amount.optional(), maxTokens: amount.optional() });

export const budgetSchema = z.strictObject(
  { run: limitsSchema.optional(), conversation: limitsSchema.optional() },
  { error: "expected an object of run and conversation" },
);

/** The usage and the cost of model calls. */
export interface Spent {
  /** The sum of the tokens of all calls. */
  readonly usage: ModelUsage;
  /** The cost by `RunConfig.prices`. Calls without a price aren't counted. Absent: no call had a price. */
  readonly cost?: number;
}

interface Asked {
  /** The name of the model that was called. */
  readonly name: string;
  /** The origin of the reply. */
  readonly origin?: ModelOrigin | undefined;
}

/** Sums up the usage of a run and of the earlier runs of its conversation. */
export interface Spending {
  /** Sets the sum from the loaded conversation. */
  readonly loaded: (before: Spent | undefined) => void;
  readonly costOf: (usage: ModelUsage, asked: Asked) => number | undefined;
  readonly count: (usage: ModelUsage | undefined, asked: Asked) => void;
  /** Returns the run's usage; `undefined` until a call has reported its usage. */
  readonly ofRun: () => Spent | undefined;
  readonly ofConversation: () => Spent | undefined;
  /** Returns why a model of this name must not be called; `undefined` if it can be called. */
  readonly refusal: (name: string) => JAFError | undefined;
}

export function openSpending({
  prices,
  budget,
}: {
  readonly prices?: ModelPrices | undefined;
  readonly budget?: RunBudget | undefined;
}): Spending {
  let before: Spent | undefined;
  let run: Spent | undefined;
  const costOfUsage: Spending["costOf"] = (usage, asked) => {
    const price = priceOf(prices, asked);
    return price && costOf(usage, price);
  };
  const ofConversation = () => sumOfSpent(before, run);
  return {
    loaded: (sum) => {
      before = sum;
    },
    costOf: costOfUsage,
    count: (usage, asked) => {
      if (usage !== undefined) run = sumOfSpent(run, spentOf(usage, costOfUsage(usage, asked)));
    },
    ofRun: () => run,
    ofConversation,
    refusal: (name) => {
      if (budget === undefined) return undefined;
      const needsPrice = (budget.run?.maxCost ?? budget.conversation?.maxCost) !== undefined;
      if (needsPrice && !hasPrice(prices, name)) {
        const detail = `budget.maxCost needs the price of the model "${name}": add it to RunConfig.prices, e.g. { "${name}": { input: 1, output: 4 } } for a million tokens`;
        return { _tag: "InternalError", detail };
      }
      return (
        exceeded("run", budget.run, run) ?? exceeded("conversation", budget.conversation, ofConversation())
      );
    },
  };
}

const spentOf = (usage: ModelUsage, cost: number | undefined): Spent =>
  cost === undefined ? { usage } : { usage, cost };

function sumOfSpent(one: Spent | undefined, other: Spent | undefined): Spent | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const isPriced = one.cost !== undefined || other.cost !== undefined;
  const cost = isPriced ? (one.cost ?? 0) + (other.cost ?? 0) : undefined;
  return spentOf(sumOfUsage(one.usage, other.usage) ?? {}, cost);
}

function exceeded(
  of: BudgetExceeded["of"],
  limits: BudgetLimits | undefined,
  spent: Spent | undefined,
): BudgetExceeded | undefined {
  if (limits === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0 } = spent?.usage ?? {};
  const counts = { maxCost: spent?.cost ?? 0, maxTokens: inputTokens + outputTokens };
  for (const limit of ["maxCost", "maxTokens"] as const) {
    const allowed = limits[limit];
    if (allowed !== undefined && counts[limit] >= allowed)
      return { _tag: "BudgetExceeded", of, limit, allowed, spent: counts[limit] };
  }
  return undefined;
}
