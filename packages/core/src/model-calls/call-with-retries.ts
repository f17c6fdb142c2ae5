import { JAFErrorHandler } from "../errors.ts";
import { sleep } from "../limits/abort.ts";
import { type ModelUsage, sumOfUsage } from "../limits/cost.ts";
import { retryDelayMs } from "../model/retry.ts";
import type { RunScope } from "../run-scope.ts";
import { type Attempt, callOnce, failedCall, type ModelRequest } from "./call-once.ts";
import { warnOfMissingWindow } from "./missing-window.ts";
import { modelNameOf, originOf, traceModelCall } from "./trace-model-call.ts";

/** What all attempts of one model call have in common: the request, and the function that emits the `context` event. */
export interface ModelCall<Ctx> extends ModelRequest<Ctx> {
  /** Emits the `context` event once. `undefined`: the run has no observer. */
  readonly emitContext: (() => void) | undefined;
}

/** Calls one model, with as many retries as `RunConfig.modelRetry` allows. */
export async function callWithRetries<Ctx>(scope: RunScope<Ctx>, call: ModelCall<Ctx>): Promise<Attempt> {
  const { spending, ledger } = scope;
  const { modelRetry, signal } = scope.config;
  const agentName = call.state.currentAgentName;
  const name = modelNameOf(scope, call);
  const refused = spending.refusal(name) ?? (await ledger?.account.refusal(signal));
  if (refused !== undefined) return failedCall(refused);
  const trace = traceModelCall(scope, call);
  call.emitContext?.();
  warnOfMissingWindow(scope, call.state);
  let usage: ModelUsage | undefined;
  for (let attempt = 1; ; attempt++) {
    const tried = await callOnce(scope, call, attempt);
    usage = sumOfUsage(usage, tried.usage);
    const asked = { name, origin: originOf(tried) };
    spending.count(tried.usage, asked);
    if (tried.usage !== undefined) await ledger?.record(call, { ...asked, usage: tried.usage });
    const delayMs = tried.ok ? undefined : retryDelayMs(modelRetry, { ...tried, attempt });
    if (tried.ok || delayMs === undefined) {
      trace?.end(tried, usage);
      return tried;
    }
    const { error, discardText } = tried;
    const overBudget = spending.refusal(name) ?? (await ledger?.account.refusal(signal));
    if (overBudget !== undefined) {
      trace?.end(tried, usage);
      return failedCall(overBudget, tried);
    }
    const reason = JAFErrorHandler.format(error);
    scope.emit?.({ type: "llm_retry", data: { agentName, attempt, delayMs, reason, discardText } });
    await sleep(delayMs, signal);
  }
}
