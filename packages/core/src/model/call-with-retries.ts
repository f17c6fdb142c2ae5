import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";
import { JAFErrorHandler } from "../error-handler.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { sleep } from "../timing/abort.ts";
import { sumOfUsage } from "../usage.ts";
import { type Attempt, callOnce, failedCall, type ModelRequest } from "./call-once.ts";
import type { ModelUsage } from "./completion.ts";
import { retryDelayMs } from "./retry.ts";

/** The request of a model call. */
export interface ModelCall<Ctx> extends ModelRequest<Ctx> {
  /** Emits the `context` event, only once. Absent without an observer. */
  readonly emitContext: (() => void) | undefined;
}

/** The name of the model that a run calls for an agent. */
export const modelNameOf = <Ctx>({ config }: RunScope<Ctx>, { agent }: ModelRequest<Ctx>): string =>
  config.modelOverride ?? agent.modelConfig?.name ?? "default";

/** Calls one model, with the retries that the policy allows. */
export async function callWithRetries<Ctx>(scope: RunScope<Ctx>, call: ModelCall<Ctx>): Promise<Attempt> {
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
