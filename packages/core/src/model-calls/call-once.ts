import type { Message } from "@jaf/memory";
import { describeCause, present } from "@jaf/memory/internal";
import type { ResolvedAgent } from "../agent.ts";
import type { JAFError, ModelCallError } from "../errors.ts";
import { abortError } from "../limits/abort.ts";
import type { ModelUsage } from "../limits/cost.ts";
import {
  modelIdleLimit,
  modelLimit,
  openTimeLimit,
  type TimeLimit,
  TimeLimitError,
} from "../limits/time-limit.ts";
import type { ModelCompletion } from "../model/completion.ts";
import { type ParsedReply, parseReply } from "../model/reply.ts";
import { isRetryableFailure, type ModelRetryPolicy, retryAfterMsOf, statusOf } from "../model/retry.ts";
import { collectStream } from "../model/stream.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { withThrown } from "../thrown.ts";
import { frozenConfig } from "./provider-request.ts";
import { openStreamedReply, type StreamedReply } from "./streamed-reply.ts";

/** What a model provider gets in a call, in addition to the configuration (`RunConfig`). */
export interface ModelRequest<Ctx> {
  readonly state: RunState<Ctx>;
  readonly agent: ResolvedAgent<Ctx>;
}

export type Attempt = UsableReply | FailedCall;

interface UsableReply {
  readonly ok: true;
  readonly message: Message;
  readonly completion: ModelCompletion;
  /** The tokens that the reply used. Absent: a `wrapModelCall` hook made the reply itself. */
  readonly usage?: ModelUsage | undefined;
  /** The reply as it was streamed. */
  readonly text: StreamedReply;
  /** The number of attempts so far, including this one. */
  readonly attempts: number;
}

interface FailedCall {
  readonly ok: false;
  readonly error: JAFError;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /**
   * Whether observers have already got pieces of this attempt's reply (e.g. `llm_delta` events) and must discard them.
   */
  readonly discardText: boolean;
  /** The tokens that an unusable reply used. Absent: they aren't known. */
  readonly usage?: ModelUsage | undefined;
  readonly attempts: number;
}

/** Calls the model once. `attempts`: the number of attempts so far, including this one. Never rejects. */
export async function callOnce<Ctx>(
  scope: RunScope<Ctx>,
  request: ModelRequest<Ctx>,
  attempts: number,
): Promise<Attempt> {
  const { signal } = scope.config;
  const text = openStreamedReply(scope, request.state.currentAgentName);
  const early = abortError(signal);
  if (early !== undefined) return failedCall(early, { attempts });
  const limit = openTimeLimit(modelLimit(scope.config, request.agent), signal);
  try {
    const completion = await complete(scope, request, { limit, text });
    const reply = parseReply(completion);
    const usage = usageOf(scope, request, { completion, reply });
    if (reply.ok) return { ok: true, message: reply.message, completion, usage, text, attempts };
    const { detail, retryable } = reply;
    const unusable = { attempts, discardText: text.hasEmitted() };
    const error = { _tag: "ModelBehaviorError", detail } as const;
    return { ...failedCall(error, unusable), retryable, usage };
  } catch (thrown) {
    const failed = { attempts, discardText: text.hasEmitted() };
    const aborted = abortError(signal);
    if (aborted !== undefined) return failedCall(aborted, failed);
    const error = modelCallError(scope.config.modelRetry, limit.exceeded() ?? thrown, attempts);
    const { retryable, retryAfterMs } = error;
    return { ...failedCall(error, failed), retryable, retryAfterMs };
  } finally {
    limit.close();
  }
}

/** Returns the tokens that a reply used. `undefined`: not known. */
const usageOf = <Ctx>(
  { spending }: RunScope<Ctx>,
  { state, agent }: ModelRequest<Ctx>,
  { completion, reply }: { readonly completion: ModelCompletion | undefined; readonly reply: ParsedReply },
): ModelUsage | undefined =>
  spending.usageOf(completion?.usage, () => {
    const content = completion?.message?.content;
    const unusable = { role: "assistant", content: typeof content === "string" ? content : "" } as const;
    return {
      instructions: agent.instructions(state),
      messages: state.messages,
      tools: agent.tools ?? [],
      reply: reply.ok ? reply.message : unusable,
    };
  });

interface Completing {
  readonly limit: TimeLimit;
  readonly text: StreamedReply;
}

/** Calls the model provider and resolves with the reply. Rejects if the time limit is exceeded. */
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
    onCall: text.addCall,
  });
}

/** Returns the result of a failed call that must not be retried. */
export const failedCall = (
  error: JAFError,
  { attempts = 0, discardText = false }: Partial<Pick<FailedCall, "attempts" | "discardText">> = {},
): FailedCall => ({ ok: false, error, retryable: false, retryAfterMs: undefined, discardText, attempts });

/** Converts a thrown value into the error of a model call. `attempts`: the number of attempts so far. */
export function modelCallError(
  policy: ModelRetryPolicy | undefined,
  thrown: unknown,
  attempts: number,
): ModelCallError {
  const status = statusOf(thrown);
  const retryAfterMs = retryAfterMsOf(thrown);
  const error: ModelCallError = {
    _tag: "ModelCallError",
    attempts,
    retryable: isRetryableFailure(policy, thrown),
    ...present({ status, retryAfterMs }),
    ...(thrown instanceof TimeLimitError ? { timeoutMs: thrown.timeoutMs } : {}),
    cause: describeCause(thrown),
  };
  return withThrown(error, thrown);
}
