import type { ModelOrigin } from "@jaf/memory";
import * as z from "zod";
import type { BudgetExceeded, JAFError } from "../errors.ts";
import {
  amount,
  costOf,
  hasPrice,
  type ModelPrices,
  type ModelUsage,
  priceOf,
  sumOfUsage,
  usageIn,
} from "./cost.ts";
import { type EstimatedCall, estimatedUsage } from "./estimate.ts";

/** The limits of a budget. An absent field means no limit. */
export interface BudgetLimits {
  /** The maximum cost, in the currency of `RunConfig.prices`. `prices` must have a price for each model that is called. */
  readonly maxCost?: number;
  /** The maximum sum of input tokens and output tokens. Tokens that the model provider doesn't report are estimated. */
  readonly maxTokens?: number;
}

/** The limits of a budget that the ledger counts, for a day or a month. */
export interface LedgerBudget extends BudgetLimits {
  /** The time that the limits are for. A day and a month begin at midnight UTC, by the store's clock. Default `"day"`. */
  readonly period?: "day" | "month";
}

/**
 * The limits for one run, for all runs of its stored conversation together, and for all runs that record in the same
 * ledger. `user`, `tenant` and `everyone` need `RunConfig.ledger`.
 */
export interface RunBudget {
  /** The limits for one run. */
  readonly run?: BudgetLimits;
  /** The limits for all runs of the stored conversation together. Needs `memory.autoStore`. */
  readonly conversation?: BudgetLimits;
  /** The limits for all runs of the same user. Needs `memory.userId`. */
  readonly user?: LedgerBudget;
  /** The limits for all runs of the same tenant. Needs `ledger.tenant`. */
  readonly tenant?: LedgerBudget;
  /** The limits for all runs together. */
  readonly everyone?: LedgerBudget;
}

/** The budgets that the ledger counts, each with what to do if the run lacks the id that the budget needs. */
export const LEDGER_BUDGETS = {
  user: { remedy: "set memory.userId; in a prompt, pass the user by forUser or conversation" },
  tenant: { remedy: "set ledger.tenant to an id, or to a function that returns one" },
  everyone: { remedy: undefined },
} as const;

const limitsShape = { maxCost: amount.optional(), maxTokens: amount.optional() };
const limitsSchema = z.strictObject(limitsShape);
const ledgerBudgetSchema = z.strictObject({ ...limitsShape, period: z.enum(["day", "month"]).optional() });

export const budgetSchema = z.strictObject(
  {
    run: limitsSchema.optional(),
    conversation: limitsSchema.optional(),
    user: ledgerBudgetSchema.optional(),
    tenant: ledgerBudgetSchema.optional(),
    everyone: ledgerBudgetSchema.optional(),
  },
  { error: "expected an object of run, conversation, user, tenant and everyone" },
);

/** Returns whether any limit of a budget is a cost, so that each called model needs a price. */
export const limitsCost = (budget: RunBudget | undefined): boolean =>
  Object.values(budget ?? {}).some((limits: BudgetLimits | undefined) => limits?.maxCost !== undefined);

/** Returns whether the budget can be checked only with a ledger. */
export const needsLedger = (budget: RunBudget | undefined): boolean =>
  (budget?.user ?? budget?.tenant ?? budget?.everyone) !== undefined;

/** The tokens and the cost of model calls. */
export interface Spent {
  /** The tokens of all calls together. */
  readonly usage: ModelUsage;
  /**
   * The cost, by `RunConfig.prices`, of the calls whose model has a price. Without `prices`: what the services report.
   * Absent: no called model had a price, or no service reported one.
   */
  readonly cost?: number;
}

interface Asked {
  /** The name of the model that was called. */
  readonly name: string;
  /** The model that replied, as the model provider reports it. */
  readonly origin?: ModelOrigin | undefined;
}

/** Adds up the usage and the cost of a run and of the earlier runs of its conversation. */
export interface Spending {
  /** Sets the usage of the earlier runs, as stored in the loaded conversation. */
  readonly loaded: (before: Spent | undefined) => void;
  /**
   * Returns the token counts of a reply, or `undefined` if none is known. If the run has prices, a budget or a ledger,
   * missing input and output tokens are estimated.
   */
  readonly usageOf: (reported: unknown, call: () => EstimatedCall) => ModelUsage | undefined;
  readonly costOf: (usage: ModelUsage, asked: Asked) => number | undefined;
  readonly count: (usage: ModelUsage | undefined, asked: Asked) => void;
  /** Returns the usage of this run; `undefined` if no model call has reported or estimated usage yet. */
  readonly ofRun: () => Spent | undefined;
  readonly ofConversation: () => Spent | undefined;
  /** Whether token counts that a reply doesn't report are estimated. */
  readonly estimates: boolean;
  /**
   * Returns why a model with this name must not be called; `undefined` if it can be called.
   *
   * - `BudgetExceeded`: the budget is used up.
   * - `InternalError`: the budget has a `maxCost`, and the model has no price.
   */
  readonly refusal: (name: string) => JAFError | undefined;
}

/** `outer`: the spending of the outer run (see `asTool`), whose budget this run shares. */
export function openSpending(
  {
    prices,
    budget,
    ledger,
  }: {
    readonly prices?: ModelPrices | undefined;
    readonly budget?: RunBudget | undefined;
    /** The ledger to which the usage is added. Only its presence counts here. */
    readonly ledger?: object | undefined;
  },
  outer?: Spending,
): Spending {
  let before: Spent | undefined;
  let run: Spent | undefined;
  const costOfUsage: Spending["costOf"] = (usage, asked) => {
    // With prices, what the service reports isn't used, because its currency can be another one.
    if (prices === undefined) return usage.cost;
    const price = priceOf(prices, asked);
    return price && costOf(usage, price);
  };
  const usageOf: Spending["usageOf"] = (reported, call) => {
    const usage = usageIn(reported);
    const isComplete = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
    if (isComplete || !estimates) return usage;
    return { ...estimatedUsage(call()), ...usage, estimated: true };
  };
  const ofConversation = () => sumOfSpent(before, run);
  const estimates = (prices ?? budget ?? ledger) !== undefined || outer?.estimates === true;
  return {
    loaded: (sum) => {
      before = sum;
    },
    usageOf,
    costOf: costOfUsage,
    count: (usage, asked) => {
      if (usage !== undefined) run = sumOfSpent(run, spentOf(usage, costOfUsage(usage, asked)));
      outer?.count(usage, asked);
    },
    ofRun: () => run,
    ofConversation,
    estimates,
    refusal: (name) => {
      const ofOuter = outer?.refusal(name);
      if (ofOuter !== undefined || budget === undefined) return ofOuter;
      if (limitsCost(budget) && !hasPrice(prices, name)) {
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

/** Returns the error if what was spent has reached a limit. */
export function exceeded(
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
