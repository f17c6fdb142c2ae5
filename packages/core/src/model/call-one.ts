import type { RichMessage } from "@jaf/memory";
import { sleep } from "../engine/abort.ts";
import type { RunScope } from "../engine/scope.ts";
import { JAFErrorHandler } from "../error-handler.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { type Attempt, attemptCall, type ModelRequest } from "./attempt.ts";
import { retryDelayMs } from "./retry.ts";

/** What a model is asked. */
export interface ModelCall<Ctx> extends ModelRequest<Ctx> {
  /** Tells what the model gets of the conversation, the first time. Absent when nobody listens. */
  readonly tellContext: (() => void) | undefined;
}

/** How asking one model ended, retries and all. */
export interface Asked {
  readonly last: Attempt;
  readonly attempts: number;
}

/** The model that a run asks in the name of an agent. */
export const modelNameOf = <Ctx>({ config }: RunScope<Ctx>, { agent }: ModelRequest<Ctx>): string =>
  config.modelOverride ?? agent.modelConfig?.name ?? "default";

/** Asks one model, and asks again as the policy allows. */
export async function callOne<Ctx>(scope: RunScope<Ctx>, call: ModelCall<Ctx>): Promise<Asked> {
  const { modelRetry, signal } = scope.config;
  const agentName = call.state.currentAgentName;
  const trace = traceCall(scope, call);
  call.tellContext?.();
  for (let attempt = 1; ; attempt++) {
    const tried = await attemptCall(scope, call, attempt);
    const delayMs = tried.ok ? undefined : retryDelayMs(modelRetry, { ...tried, attempt });
    if (tried.ok || delayMs === undefined) {
      trace?.end(tried, attempt);
      return { last: tried, attempts: attempt };
    }
    const { error, discardText } = tried;
    const reason = JAFErrorHandler.format(error);
    scope.emit?.({ type: "llm_retry", data: { agentName, attempt, delayMs, reason, discardText } });
    await sleep(delayMs, signal);
  }
}

/** Tells of the beginning and the end of a call; nothing where nobody listens. */
function traceCall<Ctx>(scope: RunScope<Ctx>, request: ModelRequest<Ctx>) {
  const { emit } = scope;
  if (emit === undefined) return undefined;
  const call = { agentName: request.state.currentAgentName, model: modelNameOf(scope, request) };
  const start = performance.now();
  emit({ type: "llm_call_start", data: call });
  return {
    end: (last: Attempt, attempts: number): void => {
      const durationMs = performance.now() - start;
      const status = last.ok ? "success" : "error";
      emit({ type: "llm_call_end", data: { ...call, status, attempts, durationMs, ...replyData(last) } });
    },
  };
}

function replyData(last: Attempt) {
  if (!last.ok) return {};
  const { usage, finish_reason: finishReason } = last.completion;
  const { origin }: RichMessage = last.message;
  return {
    ...(usage === undefined ? {} : { usage: frozenCopy(usage) }),
    ...(finishReason == null ? {} : { finishReason }),
    ...(origin === undefined ? {} : { origin }),
  };
}
