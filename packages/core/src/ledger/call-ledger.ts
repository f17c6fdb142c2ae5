import type { LedgerEntry, ModelOrigin } from "@jaf/memory";
import { idIssue, present, warn } from "@jaf/memory/internal";
import type { ResolvedAgent } from "../agent.ts";
import type { Emit } from "../events.ts";
import { abortable } from "../limits/abort.ts";
import type { RunBudget, Spending } from "../limits/budget.ts";
import type { ModelUsage } from "../limits/cost.ts";
import type { MemoryConfig } from "../memory-config.ts";
import type { CacheableConfig } from "../model/model-config.ts";
import type { RunState } from "../state.ts";
import type { StoredPrompts } from "../stored/lease.ts";
import type { PromptRecord } from "../stored/metadata.ts";
import { toResult } from "../stored/provider-result.ts";
import { type Account, openAccount } from "./account.ts";
import { cacheMissOf, recordOf, ttlMsOf } from "./prompt.ts";
import type { RunLedger } from "./run-ledger.ts";
import { shares, toolsReadBy } from "./shares.ts";

/** A model call that replied. */
interface RepliedCall {
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
interface LedgerConfig<Ctx> {
  readonly agentRegistry: ReadonlyMap<string, { readonly tools?: readonly NamedTool[] }>;
  readonly ledger?: RunLedger<Ctx>;
  readonly budget?: RunBudget;
  readonly memory?: MemoryConfig;
  readonly cache?: CacheableConfig | false;
  readonly signal?: AbortSignal;
}

interface LedgerScope<Ctx> {
  readonly context: Readonly<Ctx>;
  /** The account of the outer run. `undefined`: the run has no outer run, or that has no ledger. */
  readonly account: Account | undefined;
  readonly emit: Emit | undefined;
  readonly spending: Pick<Spending, "costOf">;
}

/** Opens the ledger of a run; `undefined` if the run has none. */
export function openCallLedger<Ctx>(
  { ledger, budget, memory, cache, signal, agentRegistry }: LedgerConfig<Ctx>,
  { context, account: ofOuter, emit, spending }: LedgerScope<Ctx>,
): CallLedger | undefined {
  if (ledger === undefined) return undefined;
  const account = ofOuter ?? openAccount({ ledger, budget, userId: memory?.userId, context });
  const prompts = openPrompts();
  let names: ReadonlySet<string> | undefined;
  // A model can write any name in a call. The ledger would refuse some of them, or store a sum for each.
  const isTool = (name: string): boolean => {
    names ??= new Set(
      [...agentRegistry.values()].flatMap(({ tools = [] }) => tools.map(({ schema }) => schema.name)),
    );
    return names.has(name);
  };
  return {
    account,
    prompts,
    record: async ({ state, agent }, { name, origin, usage }) => {
      const agentName = state.currentAgentName;
      const call = {
        agent: agentName,
        model: name,
        instructions: agent.instructions(state),
        tools: agent.tools ?? [],
        messages: state.messages,
      };
      const ttlMs = ttlMsOf(cache ?? agent.cacheable);
      const cacheMiss = prompts.compare(call.agent, (previous) => {
        if (usage.cachedInputTokens === undefined) return undefined;
        const now = recordOf(call, usage, Date.now());
        return { now, cacheMiss: cacheMissOf(call, { previous, now, usage, ttlMs }) };
      });
      const model = idIssue("model", origin?.model) === undefined ? (origin?.model ?? name) : name;
      const entry: LedgerEntry = {
        ...account.ids(),
        agentName,
        model,
        ...amountsOf(usage, spending.costOf(usage, { name, origin })),
        ...present({ cacheMiss }),
      };
      const entries = shares(entry, toolsReadBy(state.messages, isTool));
      const reason = await added(account, entries, signal);
      if (reason === undefined) return;
      if (emit === undefined)
        warn(`The ledger couldn't record a model call: ${reason}`, { type: "JAFLedgerWarning" });
      emit?.({ type: "ledger_failed", data: { agentName, model, reason } });
    },
  };
}

function amountsOf({ estimated: _, cost: __, ...counts }: ModelUsage, cost: number | undefined) {
  return { calls: 1, ...counts, ...present({ cost }) };
}

/** Adds the entries to the ledger. Resolves with the reason if that failed; after an abort it doesn't wait. */
async function added(
  { store }: Account,
  entries: readonly LedgerEntry[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const recorded = await abortable(
      toResult("record", () => store.record(entries)),
      signal,
    );
    return recorded.success ? undefined : recorded.error.message;
  } catch {
    // The run is aborted. The write that is under way is completed.
    return undefined;
  }
}

/** The maximum number of agents whose last prompts a conversation stores. */
const MAX_RECORDS = 8;

interface Compared {
  readonly now: PromptRecord;
  readonly cacheMiss: LedgerEntry["cacheMiss"];
}

function openPrompts() {
  let records: readonly PromptRecord[] = [];
  return {
    loaded: (stored: readonly PromptRecord[]): void => {
      records = stored;
    },
    records: () => (records.length === 0 ? undefined : records),
    /** Compares a prompt with the agent's previous one, which it replaces. */
    compare: (
      agent: string,
      compare: (previous: PromptRecord | undefined) => Compared | undefined,
    ): LedgerEntry["cacheMiss"] => {
      const previous = records.find((record) => record.agent === agent);
      const compared = compare(previous);
      if (compared === undefined) return undefined;
      const others = records.filter((record) => record !== previous);
      records = [...others, compared.now].slice(-MAX_RECORDS);
      return compared.cacheMiss;
    },
  };
}
