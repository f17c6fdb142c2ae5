import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { type JAFError, JAFErrorHandler } from "../errors.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { overlay } from "../immutable/overlay.ts";
import { sleep } from "../limits/abort.ts";
import { type ModelUsage, sumOfUsage } from "../limits/cost.ts";
import { retryDelayMs } from "../model/retry.ts";
import type { FallbackModel, ModelFallback, RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import { thrownOf, withThrown } from "../thrown.ts";
import { type Attempt, callOnce, failedCall, type ModelRequest } from "./call-once.ts";

/** What all attempts of one model call have in common: the request, and the function that emits the `context` event. */
export interface ModelCall<Ctx> extends ModelRequest<Ctx> {
  /** Emits the `context` event once. Absent if the run has no observer. */
  readonly emitContext: (() => void) | undefined;
}

/**
 * Calls the model. If the call fails after all retries, calls the models of `RunConfig.modelFallback`, each with its own
 * retries. Begins with the model that gave the agent's last reply in this run.
 */
export function callModels<Ctx>(scope: RunScope<Ctx>, call: ModelCall<Ctx>): Promise<Attempt> {
  const { modelFallback } = scope.config;
  return modelFallback === undefined
    ? callWithRetries(scope, call)
    : callWithFallback(scope, call, modelFallback);
}

async function callWithFallback<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  modelFallback: ModelFallback<Ctx>,
): Promise<Attempt> {
  const agentName = call.state.currentAgentName;
  const models = [undefined, ...modelFallback.models];
  const first = scope.modelInUse.get(agentName) ?? 0;
  const scopeOf = (index: number) => scopeFor(scope, models[(first + index) % models.length]);
  let attempts = 0;
  for (let index = 0, asking = scopeOf(0); ; ) {
    const last = await callWithRetries(asking, call);
    attempts += last.attempts;
    if (last.ok) {
      scope.modelInUse.set(agentName, (first + index) % models.length);
      return { ...last, attempts };
    }
    const { error, discardText } = last;
    index += 1;
    if (index === models.length || !isForAnother(modelFallback, last)) {
      const counted =
        error._tag === "ModelCallError" ? withThrown({ ...error, attempts }, thrownOf(error)) : error;
      return { ...last, error: counted, attempts };
    }
    const from = modelNameOf(asking, call);
    asking = scopeOf(index);
    const to = modelNameOf(asking, call);
    const reason = JAFErrorHandler.format(error);
    scope.emit?.({ type: "llm_fallback", data: { agentName, from, to, reason, discardText } });
  }
}

/** The default statuses for calling the next model. Model providers send them if an account has no credit. */
const DEFAULT_STATUSES: readonly number[] = [402, 429];

/** Returns whether to call the next model: the reply was unusable, or the failure is transient or has one of the statuses. */
function isForAnother<Ctx>(
  { statuses = DEFAULT_STATUSES }: ModelFallback<Ctx>,
  { error, retryable }: { readonly error: JAFError; readonly retryable: boolean },
): boolean {
  if (error._tag === "ModelBehaviorError") return true;
  if (error._tag !== "ModelCallError") return false;
  return retryable || (error.status !== undefined && statuses.includes(error.status));
}

function scopeFor<Ctx>(
  scope: RunScope<Ctx>,
  fallback: string | FallbackModel<Ctx> | undefined,
): RunScope<Ctx> {
  if (fallback === undefined) return scope;
  const { model, modelProvider }: FallbackModel<Ctx> =
    typeof fallback === "string" ? { model: fallback } : fallback;
  const changes: Partial<RunConfig<Ctx>> = present({ modelProvider });
  return { ...scope, config: overlay(scope.config, { ...changes, modelOverride: model }) };
}

/** Returns the name of the model that a run calls for an agent; `"default"` if the model provider chooses the model. */
const modelNameOf = <Ctx>({ config }: RunScope<Ctx>, { agent }: ModelRequest<Ctx>): string =>
  config.modelOverride ?? agent.modelConfig?.name ?? config.modelProvider.defaultModel ?? "default";

/** Calls one model, with as many retries as the policy allows. */
async function callWithRetries<Ctx>(scope: RunScope<Ctx>, call: ModelCall<Ctx>): Promise<Attempt> {
  const { modelRetry, signal } = scope.config;
  const agentName = call.state.currentAgentName;
  const name = modelNameOf(scope, call);
  const refused = refusedBy(scope, name);
  if (refused !== undefined) return refused;
  const trace = traceCall(scope, call);
  call.emitContext?.();
  let usage: ModelUsage | undefined;
  for (let attempt = 1; ; attempt++) {
    const tried = await callOnce(scope, call, attempt);
    usage = sumOfUsage(usage, tried.usage);
    scope.spending.count(tried.usage, { name, origin: originOf(tried) });
    const delayMs = tried.ok ? undefined : retryDelayMs(modelRetry, { ...tried, attempt });
    if (tried.ok || delayMs === undefined) {
      trace?.end(tried, usage);
      return tried;
    }
    const { error, discardText } = tried;
    const overBudget = refusedBy(scope, name, tried);
    if (overBudget !== undefined) {
      trace?.end(tried, usage);
      return overBudget;
    }
    const reason = JAFErrorHandler.format(error);
    scope.emit?.({ type: "llm_retry", data: { agentName, attempt, delayMs, reason, discardText } });
    await sleep(delayMs, signal);
  }
}

/** Returns the failure of a call that isn't made because the budget is used up. Returns `undefined` if the call can be made. */
function refusedBy<Ctx>(
  { spending }: RunScope<Ctx>,
  name: string,
  before?: Parameters<typeof failedCall>[1],
): Attempt | undefined {
  const error = spending.refusal(name);
  return error && failedCall(error, before);
}

/**
 * Emits `llm_call_start`, and returns an object whose `end` emits `llm_call_end`. Returns `undefined` if the run has no
 * observer.
 */
function traceCall<Ctx>(scope: RunScope<Ctx>, request: ModelRequest<Ctx>) {
  const { emit } = scope;
  if (emit === undefined) return undefined;
  const call = { agentName: request.state.currentAgentName, model: modelNameOf(scope, request) };
  const start = performance.now();
  emit({ type: "llm_call_start", data: call });
  return {
    end: (last: Attempt, usage: ModelUsage | undefined): void => {
      const durationMs = performance.now() - start;
      const status = last.ok ? "success" : "error";
      emit({
        type: "llm_call_end",
        data: {
          ...call,
          status,
          attempts: last.attempts,
          durationMs,
          ...replyData(scope, { last, usage, name: call.model }),
        },
      });
    },
  };
}

const originOf = (tried: Attempt): ModelOrigin | undefined => {
  if (!tried.ok) return undefined;
  const { origin }: RichMessage = tried.message;
  return origin;
};

interface Ended {
  readonly last: Attempt;
  readonly usage: ModelUsage | undefined;
  readonly name: string;
}

function replyData<Ctx>({ spending }: RunScope<Ctx>, { last, usage, name }: Ended) {
  const origin = originOf(last);
  const cost = usage && spending.costOf(usage, { name, origin });
  const spent = {
    ...(usage === undefined ? {} : { usage: frozenCopy(usage) }),
    ...present({ cost }),
  };
  if (!last.ok) return spent;
  const { finish_reason: finishReason } = last.completion;
  return {
    ...spent,
    ...present({ finishReason: finishReason ?? undefined, origin }),
  };
}
