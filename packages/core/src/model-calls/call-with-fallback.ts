import type { Message, ModelOrigin, RichMessage } from "@jaf/memory";
import { describeCause, present } from "@jaf/memory/engine";
import type { ResolvedAgent } from "../agent.ts";
import { type JAFError, JAFErrorHandler, type ModelCallError } from "../errors.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { overlay } from "../immutable/overlay.ts";
import { abortError, sleep } from "../limits/abort.ts";
import { type ModelUsage, sumOfUsage } from "../limits/cost.ts";
import {
  modelIdleLimit,
  modelLimit,
  openTimeLimit,
  type TimeLimit,
  TimeLimitError,
} from "../limits/time-limit.ts";
import type { ModelCompletion } from "../model/completion.ts";
import { parseReply } from "../model/reply.ts";
import {
  isRetryableFailure,
  type ModelRetryPolicy,
  retryAfterMsOf,
  retryDelayMs,
  statusOf,
} from "../model/retry.ts";
import { collectStream } from "../model/stream.ts";
import type { FallbackModel, ModelFallback, RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { frozenConfig } from "./provider-request.ts";
import { openReplyText, type ReplyText } from "./streamed-reply.ts";

/** What the model provider gets, beside a configuration with the signal of the attempt. */
export interface ModelRequest<Ctx> {
  readonly state: RunState<Ctx>;
  readonly agent: ResolvedAgent<Ctx>;
}

/** The request of a model call. */
export interface ModelCall<Ctx> extends ModelRequest<Ctx> {
  /** Emits the `context` event, only once. Absent without an observer. */
  readonly emitContext: (() => void) | undefined;
}

export type Attempt = UsableReply | FailedCall;

interface UsableReply {
  readonly ok: true;
  readonly message: Message;
  readonly completion: ModelCompletion;
  /** What was streamed of it. */
  readonly text: ReplyText;
  /** How often the model was asked until then. */
  readonly attempts: number;
}

interface FailedCall {
  readonly ok: false;
  readonly error: JAFError;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Pieces of this attempt have left, e.g. as `llm_delta`s. */
  readonly discardText: boolean;
  /** What an unusable reply cost. */
  readonly usage?: ModelUsage | undefined;
  readonly attempts: number;
}

/**
 * Calls the model, and if that fails after all retries, the models of `RunConfig.modelFallback`, each once, beginning with the
 * one that gave the agent's last reply.
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
      const counted = error._tag === "ModelCallError" ? { ...error, attempts } : error;
      return { ...last, error: counted, attempts };
    }
    const from = modelNameOf(asking, call);
    asking = scopeOf(index);
    const to = modelNameOf(asking, call);
    const reason = JAFErrorHandler.format(error);
    scope.emit?.({ type: "llm_fallback", data: { agentName, from, to, reason, discardText } });
  }
}

/** The statuses of an account without credit. */
const DEFAULT_STATUSES: readonly number[] = [402, 429];

/** Whether to call another model: the failure is transient, or has one of the statuses. */
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

/** The name of the model that a run calls for an agent. */
const modelNameOf = <Ctx>({ config }: RunScope<Ctx>, { agent }: ModelRequest<Ctx>): string =>
  config.modelOverride ?? agent.modelConfig?.name ?? "default";

/** Calls one model, with the retries that the policy allows. */
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
    const used = usageOf(tried);
    usage = sumOfUsage(usage, used);
    scope.spending.count(used, { name, origin: originOf(tried) });
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

/** The failure of a call that isn't made because the budget is used up. */
function refusedBy<Ctx>(
  { spending }: RunScope<Ctx>,
  name: string,
  before?: Parameters<typeof failedCall>[1],
): Attempt | undefined {
  const error = spending.refusal(name);
  return error && failedCall(error, before);
}

/** Emits the events of the beginning and the end of a call. `undefined` without an observer. */
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

const usageOf = (tried: Attempt): ModelUsage | undefined => (tried.ok ? tried.completion.usage : tried.usage);

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

/** Calls the model once. `attempts`: with this one. */
async function callOnce<Ctx>(
  scope: RunScope<Ctx>,
  request: ModelRequest<Ctx>,
  attempts: number,
): Promise<Attempt> {
  const { signal } = scope.config;
  const text = openReplyText(scope, request.state.currentAgentName);
  const early = abortError(signal);
  if (early !== undefined) return failedCall(early, { attempts });
  const limit = openTimeLimit(modelLimit(scope.config, request.agent), signal);
  try {
    const completion = await complete(scope, request, { limit, text });
    const reply = parseReply(completion);
    if (reply.ok) return { ok: true, message: reply.message, completion, text, attempts };
    const { detail, retryable } = reply;
    const unusable = { attempts, discardText: text.isShown() };
    const error = { _tag: "ModelBehaviorError", detail } as const;
    return { ...failedCall(error, unusable), retryable, usage: completion?.usage };
  } catch (thrown) {
    const failed = { attempts, discardText: text.isShown() };
    const aborted = abortError(signal);
    if (aborted !== undefined) return failedCall(aborted, failed);
    const error = modelCallError(scope.config.modelRetry, limit.exceeded() ?? thrown, attempts);
    const { retryable, retryAfterMs } = error;
    return { ...failedCall(error, failed), retryable, retryAfterMs };
  } finally {
    limit.close();
  }
}

interface Completing {
  readonly limit: TimeLimit;
  readonly text: ReplyText;
}

/** What comes once the time is up is ignored. */
function complete<Ctx>(
  { config: own, streaming }: RunScope<Ctx>,
  { state, agent }: ModelRequest<Ctx>,
  { limit, text }: Completing,
): Promise<ModelCompletion> {
  const { modelProvider } = own;
  const config = frozenConfig(own, { limit, agent });
  if (!streaming || modelProvider.getCompletionStream === undefined) {
    return limit.race(modelProvider.getCompletion(state, agent, config));
  }
  const onChunk = limit.between(modelIdleLimit(own));
  const stream = modelProvider.getCompletionStream(state, agent, config);
  return collectStream(stream, {
    signal: limit.signal,
    onChunk,
    onText: text.add,
    onReasoning: text.addReasoning,
    onPart: text.addPart,
  });
}

/** A call that failed and isn't made again. */
export const failedCall = (
  error: JAFError,
  { attempts = 0, discardText = false }: Partial<Pick<FailedCall, "attempts" | "discardText">> = {},
): FailedCall => ({ ok: false, error, retryable: false, retryAfterMs: undefined, discardText, attempts });

/** What was thrown, as the error of a model call that was made so many times. */
export function modelCallError(
  policy: ModelRetryPolicy | undefined,
  thrown: unknown,
  attempts: number,
): ModelCallError {
  const status = statusOf(thrown);
  const retryAfterMs = retryAfterMsOf(thrown);
  return {
    _tag: "ModelCallError",
    attempts,
    retryable: isRetryableFailure(policy, thrown),
    ...present({ status, retryAfterMs }),
    ...(thrown instanceof TimeLimitError ? { timeoutMs: thrown.timeoutMs } : {}),
    cause: describeCause(thrown),
  };
}
