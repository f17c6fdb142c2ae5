import { present } from "@jaf/memory/internal";
import { type JAFError, JAFErrorHandler } from "../errors.ts";
import { overlay } from "../immutable/overlay.ts";
import type { FallbackModel, ModelFallback, RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import { thrownOf, withThrown } from "../thrown.ts";
import type { Attempt } from "./call-once.ts";
import { callWithRetries, type ModelCall } from "./call-with-retries.ts";
import { modelNameOf } from "./trace-model-call.ts";

/**
 * Calls the model. If it fails, calls the next model of `RunConfig.modelFallback`, with its own retries. Begins with
 * the model that gave the agent's last reply in this run.
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

/**
 * The default of `ModelFallback.statuses`: the HTTP statuses that model providers send if an account has no credit. Some
 * send 429 for it, as for a rate limit.
 */
const DEFAULT_STATUSES: readonly number[] = [402, 429];

/**
 * Returns whether to call the next model: the reply was unusable, the failure is transient, or its status is in
 * `ModelFallback.statuses`.
 */
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
