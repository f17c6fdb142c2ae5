import type { Ledger, ModelOrigin } from "@jaf/memory";
import type { ResolvedAgent } from "../agent.ts";
import type { JAFError } from "../errors.ts";
import type { Emit } from "../events.ts";
import type { RunBudget, Spending } from "../limits/budget.ts";
import type { ModelUsage } from "../limits/cost.ts";
import type { MemoryConfig } from "../memory-config.ts";
import type { CacheableConfig } from "../model/model-config.ts";
import type { RunState } from "../state.ts";
import type { StoredPrompts } from "../stored/lease.ts";

/** Where a run records what its model calls use and cost, and for whom. Make one with `runLedger`. */
// The functions come with the value, so an application without a ledger doesn't bundle them.
export interface RunLedger<Ctx> {
  readonly store: Ledger;
  /** Opens the ledger of one run. Only the engine calls it. */
  readonly open: (config: LedgerConfig, scope: LedgerScope<Ctx>) => CallLedger;
}

/** The options of `runLedger`. */
export interface RunLedgerOptions<Ctx> {
  /** The store of the sums, e.g. from `createPostgresLedger`. */
  readonly store: Ledger;
  /**
   * The id of the tenant (e.g. the customer) that the user belongs to, or a function that returns it for the run's
   * context. Default: the calls have no tenant. If the function throws, the run ends with `InternalError`.
   */
  readonly tenant?: string | ((context: Readonly<Ctx>) => string | undefined);
}

/** The user and the tenant whose amounts a run adds to. */
export interface AccountIds {
  readonly userId?: string;
  readonly tenantId?: string;
}

/** A run's access to the ledger. The inner runs of agent tools share it. */
export interface Account {
  readonly store: Ledger;
  readonly ids: () => AccountIds;
  /**
   * Resolves with why no model may be called now; with `undefined` if one may be called. All budgets that the ledger
   * counts are read in one round trip.
   *
   * - `BudgetExceeded`: a budget is used up.
   * - `MemoryError`: the ledger couldn't be read, so no budget could be checked.
   * - `InternalError`: a budget is that of a user or a tenant, and the run has none.
   */
  readonly refusal: (signal: AbortSignal | undefined) => Promise<JAFError | undefined>;
}

/** A model call that replied. */
export interface RepliedCall {
  /** The name of the model that was called. */
  readonly name: string;
  /** The model that replied. `undefined`: the model provider doesn't report it. */
  readonly origin?: ModelOrigin | undefined;
  readonly usage: ModelUsage;
}

interface ModelRequest<Ctx> {
  readonly state: RunState<Ctx>;
  readonly agent: ResolvedAgent<Ctx>;
}

/** Counts the model calls of a run in the ledger. */
export interface CallLedger {
  readonly account: Account;
  /** The last prompts of the agents, which are stored in the conversation. */
  readonly prompts: StoredPrompts;
  /**
   * Adds what a call used to the ledger. Never rejects: if the ledger fails, the run emits `ledger_failed` and
   * continues.
   */
  readonly record: <Ctx>(request: ModelRequest<Ctx>, call: RepliedCall) => Promise<void>;
}

interface NamedTool {
  readonly schema: { readonly name: string };
}

/** The settings of a run that its ledger needs. */
export interface LedgerConfig {
  readonly agentRegistry: ReadonlyMap<string, { readonly tools?: readonly NamedTool[] }>;
  readonly budget?: RunBudget;
  readonly memory?: MemoryConfig;
  readonly cache?: CacheableConfig | false;
  readonly signal?: AbortSignal;
}

export interface LedgerScope<Ctx> {
  readonly context: Readonly<Ctx>;
  /** The account of the outer run. `undefined`: the run has no outer run, or that has no ledger. */
  readonly account: Account | undefined;
  readonly emit: Emit | undefined;
  readonly spending: Pick<Spending, "costOf">;
}
