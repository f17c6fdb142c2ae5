import { abortable, abortError, runAborted } from "../engine/abort.ts";
import { execute } from "../engine/run.ts";
import type { ScopeOptions } from "../engine/scope.ts";
import type { JAFError } from "../errors.ts";
import { type Emit, openEmitter } from "../events/emitter.ts";
import type { RunResult } from "../run-result.ts";
import type { RunState } from "../state.ts";
import type { ClientSettings } from "./config.ts";
import { type OpenConversation, openConversation } from "./conversation.ts";
import { type Opening, openPrompt, type PromptCall } from "./opening.ts";
import { type PromptResult, toPromptResult } from "./prompt-result.ts";
import { throwRefusal, watchValidator } from "./refusal.ts";
import { runConfigOf } from "./run-config.ts";
import { openTally } from "./tally.ts";

/** How a prompt's run is watched and ended. */
export interface PromptManner extends ScopeOptions {
  readonly signal: AbortSignal | undefined;
}

/**
 * Takes a prompt from its options to its result. Rejects for what the caller did wrong and for what somebody had no
 * right to; failures of the run and of the store are outcomes.
 */
export async function performPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  { streaming, signal, sink }: PromptManner,
): Promise<PromptResult<Out>> {
  const opening = await openPrompt(settings, call);
  const { state, history } = opening;
  const opened = await openStored(opening, signal);
  const conversation = opened.ok ? opened.conversation : undefined;
  const { options } = call;
  const validator = watchValidator(options.validate ?? settings.validate);
  const config = runConfigOf(settings, { opening, options, conversation, validator, signal });
  const tally = openTally();
  const tell: Emit = (event) => {
    tally.sink(event);
    sink?.(event);
  };
  const watch = conversation?.view.watch(conversation.conversationId, { agent: conversation.agent });
  try {
    const result: RunResult<Out> = opened.ok
      ? await execute(state, config, { streaming, sink: tell })
      : neverBegun(state, opened.error, openEmitter(config.onEvent, tell));
    throwRefusal(result.outcome, validator);
    return toPromptResult(result, {
      conversationId: conversation?.conversationId,
      usage: tally.usage(),
      replies: tally.replies,
      isHistory: watch?.isStored ?? ((message) => history.includes(message)),
    });
  } finally {
    watch?.end();
  }
}

type Opened =
  | { readonly ok: true; readonly conversation: OpenConversation | undefined }
  | { readonly ok: false; readonly error: JAFError };

async function openStored<Ctx>({ stored }: Opening<Ctx>, signal: AbortSignal | undefined): Promise<Opened> {
  if (stored === undefined) return { ok: true, conversation: undefined };
  const aborted = abortError(signal);
  if (aborted !== undefined) return { ok: false, error: aborted };
  try {
    const opened = await abortable(openConversation(stored.store, stored.plan), signal);
    return opened.success
      ? { ok: true, conversation: opened.data }
      : { ok: false, error: { _tag: "MemoryError", error: opened.error } };
  } catch (thrown) {
    if (signal?.aborted === true) return { ok: false, error: runAborted(signal) };
    throw thrown;
  }
}

/** The result of a run that has no conversation to run on, told like that of any other. */
function neverBegun<Ctx, Out>(
  state: RunState<Ctx>,
  error: JAFError,
  { emit, close }: ReturnType<typeof openEmitter>,
): RunResult<Out> {
  const outcome = Object.freeze({ status: "error", error } as const);
  const { runId, traceId } = state;
  emit?.({ type: "run_start", data: { runId, traceId } });
  emit?.({ type: "run_end", data: { outcome } });
  close();
  return { finalState: state, outcome };
}
