import type { Message } from "@jaf/memory";
import type { ResolvedAgent } from "../agent.ts";
import { abortError } from "../engine/abort.ts";
import { modelIdleLimit, modelLimit } from "../engine/limits.ts";
import type { RunScope } from "../engine/scope.ts";
import { openTimeLimit, type TimeLimit } from "../engine/time-limit.ts";
import type { JAFError } from "../errors.ts";
import type { RunState } from "../state.ts";
import { modelCallError } from "./call-error.ts";
import type { ModelCompletion, ModelUsage } from "./completion.ts";
import { parseReply } from "./reply.ts";
import { openReplyText, type ReplyText } from "./reply-text.ts";
import { collectStream } from "./stream.ts";

/** What the model provider gets, beside a configuration with the signal of the attempt. */
export interface ModelRequest<Ctx> {
  readonly state: RunState<Ctx>;
  readonly agent: ResolvedAgent<Ctx>;
}

export type Attempt =
  | {
      readonly ok: true;
      readonly message: Message;
      readonly completion: ModelCompletion;
      /** What was streamed of it. */
      readonly text: ReplyText;
    }
  | FailedCall;

interface FailedCall {
  readonly ok: false;
  readonly error: JAFError;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Pieces of this attempt have left, e.g. as `llm_delta`s. */
  readonly discardText: boolean;
  /** What an unusable reply cost. */
  readonly usage?: ModelUsage | undefined;
}

/** Calls the model once. `attempt` counts from 1. */
export async function attemptCall<Ctx>(
  scope: RunScope<Ctx>,
  request: ModelRequest<Ctx>,
  attempt: number,
): Promise<Attempt> {
  const text = openReplyText(scope, request.state.currentAgentName);
  const failed = (error: JAFError, retryable = false): FailedCall => ({
    ok: false,
    error,
    retryable,
    retryAfterMs: undefined,
    discardText: text.isShown(),
  });
  const aborted = () => abortError(scope.config.signal);
  const early = aborted();
  if (early !== undefined) return failed(early);
  const limit = openTimeLimit(modelLimit(scope.config, request.agent), scope.config.signal, scope.timers);
  try {
    const completion = await complete(scope, request, { limit, text });
    const reply = parseReply(completion);
    if (reply.ok) return { ok: true, message: reply.message, completion, text };
    const unusable = failed({ _tag: "ModelBehaviorError", detail: reply.detail }, reply.retryable);
    return { ...unusable, usage: completion?.usage };
  } catch (thrown) {
    const error = aborted();
    return error === undefined
      ? modelCallFailed(scope, limit.exceeded() ?? thrown, { attempt, discardText: text.isShown() })
      : failed(error);
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
  { config: own, configGivenOut, streaming }: RunScope<Ctx>,
  { state, agent }: ModelRequest<Ctx>,
  { limit, text }: Completing,
): Promise<ModelCompletion> {
  const { modelProvider } = own;
  const config = configGivenOut(limit, agent);
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

function modelCallFailed<Ctx>(
  { config }: RunScope<Ctx>,
  thrown: unknown,
  { attempt, discardText }: { readonly attempt: number; readonly discardText: boolean },
): FailedCall {
  const error = modelCallError(config.modelRetry, thrown, attempt);
  const { retryable, retryAfterMs } = error;
  return { ok: false, error, retryable, retryAfterMs, discardText };
}
