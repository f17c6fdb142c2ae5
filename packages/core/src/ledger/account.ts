import type { Ledger, LedgerAmounts, LedgerScope } from "@jaf/memory";
import { idIssue, present } from "@jaf/memory/internal";
import type { JAFError } from "../errors.ts";
import { abortable, abortError } from "../limits/abort.ts";
import { exceeded, LEDGER_BUDGETS, type LedgerBudget, type RunBudget } from "../limits/budget.ts";
import { toResult } from "../stored/provider-result.ts";
import { internalError } from "../thrown.ts";
import type { RunLedger } from "./run-ledger.ts";

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

interface AccountOptions<Ctx> {
  readonly ledger: RunLedger<Ctx>;
  readonly budget: RunBudget | undefined;
  readonly userId: string | undefined;
  readonly context: Readonly<Ctx>;
}

interface CheckedScope {
  readonly of: keyof typeof LEDGER_BUDGETS;
  readonly limits: LedgerBudget;
  readonly scope: LedgerScope;
}

type Opened =
  | { readonly ok: true; readonly ids: AccountIds; readonly scopes: readonly CheckedScope[] }
  | { readonly ok: false; readonly error: JAFError };

/** Opens the account of a run. Nothing is read before the first model call. */
export function openAccount<Ctx>(options: AccountOptions<Ctx>): Account {
  const { store } = options.ledger;
  let opened: Opened | undefined;
  const open = (): Opened => {
    opened ??= resolve(options);
    return opened;
  };
  return {
    store,
    ids: () => {
      const account = open();
      return account.ok ? account.ids : {};
    },
    refusal: async (signal) => {
      const account = open();
      if (!account.ok) return account.error;
      const { scopes } = account;
      if (scopes.length === 0) return undefined;
      try {
        return await abortable(check(store, scopes), signal);
      } catch (thrown) {
        const aborted = abortError(signal);
        if (aborted === undefined) throw thrown;
        return aborted;
      }
    },
  };
}

function resolve<Ctx>({ ledger, budget, userId, context }: AccountOptions<Ctx>): Opened {
  let tenantId: string | undefined;
  try {
    tenantId = typeof ledger.tenant === "function" ? ledger.tenant(context) : ledger.tenant;
  } catch (thrown) {
    return { ok: false, error: internalError("ledger.tenant failed", thrown) };
  }
  const issue = tenantId === undefined ? undefined : idIssue("ledger.tenant", tenantId);
  if (issue !== undefined) return invalid(`ledger.tenant: expected ${issue.expected}`);
  const ids = { user: userId, tenant: tenantId, everyone: undefined };
  const scopes: CheckedScope[] = [];
  for (const of of Object.keys(LEDGER_BUDGETS) as (keyof typeof LEDGER_BUDGETS)[]) {
    const limits = budget?.[of];
    if (limits === undefined) continue;
    const id = ids[of];
    const { remedy } = LEDGER_BUDGETS[of];
    // A budget that can't be checked would be none.
    if (remedy !== undefined && id === undefined) return invalid(`budget.${of} needs a ${of}: ${remedy}`);
    scopes.push({ of, limits, scope: { of, period: limits.period ?? "day", ...present({ id }) } });
  }
  return { ok: true, ids: present({ userId, tenantId }), scopes };
}

const invalid = (detail: string): Opened => ({ ok: false, error: { _tag: "InternalError", detail } });

async function check(store: Ledger, scopes: readonly CheckedScope[]): Promise<JAFError | undefined> {
  const read = await toResult("amounts", () => store.amounts(scopes.map(({ scope }) => scope)));
  if (!read.success) {
    const message = `The budgets couldn't be checked, so no model was called. ${read.error.message}`;
    return { _tag: "MemoryError", error: { ...read.error, message } };
  }
  for (const [index, { of, limits, scope }] of scopes.entries()) {
    const amounts = read.data[index];
    const over = exceeded(of, limits, amounts && spentIn(amounts));
    if (over !== undefined) return { ...over, period: scope.period };
  }
  return undefined;
}

const spentIn = ({ inputTokens, outputTokens, cost }: LedgerAmounts) => ({
  usage: { inputTokens, outputTokens },
  cost,
});
