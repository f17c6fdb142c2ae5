import type { LedgerEntry } from "@jaf/memory";
import { idIssue, present, warn } from "@jaf/memory/internal";
import { abortable } from "../limits/abort.ts";
import type { ModelUsage } from "../limits/cost.ts";
import type { PromptRecord } from "../stored/metadata.ts";
import { toResult } from "../stored/provider-result.ts";
import { openAccount } from "./account.ts";
import { cacheMissOf, recordOf, ttlMsOf } from "./prompt.ts";
import type { Account, CallLedger, LedgerConfig, LedgerScope, RunLedgerOptions } from "./run-ledger.ts";
import { shares, toolsReadBy } from "./shares.ts";

/** Opens the ledger of a run. */
export function openCallLedger<Ctx>(
  given: RunLedgerOptions<Ctx>,
  { budget, memory, cache, signal, agentRegistry }: LedgerConfig,
  { context, account: ofOuter, emit, spending }: LedgerScope<Ctx>,
): CallLedger {
  const account = ofOuter ?? openAccount({ ...given, budget, userId: memory?.userId, context });
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
