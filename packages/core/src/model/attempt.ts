import { describeCause, type Message } from "@jaf/memory";
import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import { abortable, abortError } from "../engine/abort.ts";
import type { RunScope } from "../engine/scope.ts";
import type { JAFError } from "../errors.ts";
import type { RunState } from "../state.ts";
import type { ModelCompletion } from "./completion.ts";
import { parseReply } from "./reply.ts";
import { isRetryableFailure } from "./retry.ts";
import { collectStream } from "./stream.ts";
import { retryAfterMsOf, statusOf } from "./transient.ts";

/** What the model provider gets. */
export interface ModelRequest<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
  readonly config: RunConfig<Ctx>;
}

export type Attempt =
  | { readonly ok: true; readonly message: Message; readonly completion: ModelCompletion }
  | FailedCall;

interface FailedCall {
  readonly ok: false;
  readonly error: JAFError;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Text of this attempt has left as `llm_delta`s. */
  readonly discardText: boolean;
}

/** Calls the model once. `attempt` counts from 1. */
export async function attemptCall<Ctx>(
  scope: RunScope<Ctx>,
  request: ModelRequest<Ctx>,
  attempt: number,
): Promise<Attempt> {
  let discardText = false;
  const onText = (text: string) => {
    discardText = true;
    scope.emit?.({ type: "llm_delta", data: { agentName: request.state.currentAgentName, text } });
  };
  const aborted = () => abortError(scope.config.signal);
  try {
    const early = aborted();
    if (early !== undefined) return failed(early, { discardText });
    const completion = await complete(scope, request, onText);
    const reply = parseReply(completion);
    if (reply.ok) return { ok: true, message: reply.message, completion };
    return failed({ _tag: "ModelBehaviorError", detail: reply.detail }, { discardText, retryable: true });
  } catch (thrown) {
    const error = aborted();
    return error === undefined
      ? modelCallFailed(scope, thrown, { attempt, discardText })
      : failed(error, { discardText });
  }
}

function complete<Ctx>(
  { config: { modelProvider, signal }, streaming }: RunScope<Ctx>,
  { state, agent, config }: ModelRequest<Ctx>,
  onText: (text: string) => void,
): Promise<ModelCompletion> {
  return streaming && modelProvider.getCompletionStream !== undefined
    ? collectStream(modelProvider.getCompletionStream(state, agent, config), { signal, onText })
    : abortable(modelProvider.getCompletion(state, agent, config), signal);
}

function failed(
  error: JAFError,
  options: { readonly discardText: boolean; readonly retryable?: boolean },
): FailedCall {
  const { discardText, retryable = false } = options;
  return { ok: false, error, retryable, retryAfterMs: undefined, discardText };
}

function modelCallFailed<Ctx>(
  { config }: RunScope<Ctx>,
  thrown: unknown,
  { attempt, discardText }: { readonly attempt: number; readonly discardText: boolean },
): FailedCall {
  const status = statusOf(thrown);
  const retryAfterMs = retryAfterMsOf(thrown);
  const retryable = isRetryableFailure(config.modelRetry, thrown);
  const error: JAFError = {
    _tag: "ModelCallError",
    attempts: attempt,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: describeCause(thrown),
  };
  return { ok: false, error, retryable, retryAfterMs, discardText };
}
