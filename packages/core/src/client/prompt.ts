import { execute } from "../engine/run.ts";
import type { ScopeOptions } from "../engine/scope.ts";
import { sentIn } from "../engine/sent-continuation.ts";
import type { JAFError } from "../errors.ts";
import { type Emit, openEmitter } from "../events/emitter.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { stateGivenOut } from "../immutable/given-out.ts";
import type { RunResult } from "../run-result.ts";
import type { RunState } from "../state.ts";
import { abortable, runAborted } from "../timing/abort.ts";
import type { ClientSettings } from "./config.ts";
import { type OpenConversation, openConversation } from "./conversation.ts";
import { createEventGate } from "./event-gate.ts";
import { type Opening, openPrompt, type PromptCall, unopenedState } from "./opening.ts";
import { isContinuation } from "./options.ts";
import { type PromptResult, toPromptResult } from "./prompt-result.ts";
import { throwRefusal } from "./refusal.ts";
import { observerOf, runConfigOf } from "./run-config.ts";
import { openTally } from "./tally.ts";
import { judgeNew, type WatchedValidator, watchValidator } from "./validator.ts";

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
  const { options } = call;
  const validator = watchValidator(options.validate?.bind(options) ?? settings.validate);
  const opened = await open(settings, call, { validator, signal });
  const { state, history } = opened.opening;
  const conversation = opened.ok ? opened.conversation : undefined;
  const tally = openTally();
  const gate = sink && isContinuation(options) ? createEventGate(sink) : undefined;
  const told = gate?.sink ?? sink;
  const tell: Emit = (event) => {
    tally.sink(event);
    told?.(event);
  };
  const watch = conversation?.view.watch(conversation.conversationId, { agent: conversation.agent });
  try {
    let result: RunResult<Out>;
    if (opened.ok) {
      const parts = { opening: opened.opening, options, conversation, validator, signal };
      const manner = { streaming, sink: tell, isContinuation: isContinuation(options) };
      result = await execute(state, runConfigOf(settings, parts), manner);
    } else {
      const { runId } = state;
      const emitter = { runId, conversationId: undefined, sink: tell };
      const observed = { onEvent: observerOf(settings, options) };
      result = neverBegun(state, opened.error, openEmitter(observed, emitter));
    }
    throwRefusal(result.outcome, validator);
    gate?.open();
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

type Opened<Ctx> =
  | {
      readonly ok: true;
      readonly opening: Opening<Ctx>;
      readonly conversation: OpenConversation | undefined;
    }
  | {
      readonly ok: false;
      readonly opening: Pick<Opening<Ctx>, "state" | "history">;
      readonly error: JAFError;
    };

interface Judgement {
  readonly validator: WatchedValidator;
  readonly signal: AbortSignal | undefined;
}

async function open<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  { validator, signal }: Judgement,
): Promise<Opened<Ctx>> {
  let opening: Opening<Ctx> | undefined;
  try {
    opening = await openPrompt(settings, call, signal);
    return await openStored(opening, { validator, signal });
  } catch (thrown) {
    // Where it was aborted, that is what is thrown.
    if (signal?.aborted !== true || !Object.is(thrown, signal.reason)) throw thrown;
    const unopened = { state: unopenedState(settings, call), history: [] };
    return { ok: false, opening: opening ?? unopened, error: runAborted(signal) };
  }
}

async function openStored<Ctx>(
  opening: Opening<Ctx>,
  { validator, signal }: Judgement,
): Promise<Opened<Ctx>> {
  const { stored, decisions, sent } = opening;
  if (stored === undefined) return { ok: true, opening, conversation: undefined };
  signal?.throwIfAborted();
  const given = sent === undefined ? { messages: undefined } : sentIn(sent);
  const admit = () => abortable(judgeNew(validator, { ...given, ...decisions }), signal);
  const opened = await abortable(openConversation(stored.store, stored.plan, admit), signal);
  return opened.success
    ? { ok: true, opening, conversation: opened.data }
    : { ok: false, opening, error: { _tag: "MemoryError", error: opened.error } };
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
  emit?.({ type: "run_end", data: { outcome: frozenCopy(outcome) } });
  close();
  return { finalState: stateGivenOut(state), outcome };
}
