import type { Message } from "@jaf/memory";
import { ContinuationValidationError } from "@jaf/memory/turns";
import { execute } from "../engine/run.ts";
import type { ScopeOptions } from "../engine/run-scope.ts";
import { sentIn } from "../engine/sent-continuation.ts";
import type { JAFError } from "../errors.ts";
import { type Emit, openEmitter } from "../events/emitter.ts";
import type { TraceEvent } from "../events/trace-event.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { frozenState } from "../immutable/frozen.ts";
import type { ModelUsage } from "../model/completion.ts";
import type { RunResult } from "../run-result.ts";
import type { RunState } from "../state.ts";
import { abortable, runAborted } from "../timing/abort.ts";
import { sumOfUsage } from "../usage.ts";
import type { ClientSettings } from "./config.ts";
import { createEventBuffer } from "./event-buffer.ts";
import { type OpenConversation, openConversation } from "./open-conversation.ts";
import { isContinuation } from "./options.ts";
import { ConversationOwnershipError } from "./ownership-error.ts";
import { type ParsedPrompt, type PromptCall, parsePrompt, unparsedState } from "./parse-prompt.ts";
import { type PromptResult, toPromptResult } from "./prompt-result.ts";
import { observerOf, runConfigOf } from "./run-config.ts";
import { judgeNew, type WatchedValidator, watchValidator } from "./watched-validator.ts";

/** How a prompt's run is watched and ended. */
export interface PromptExecution extends ScopeOptions {
  readonly signal: AbortSignal | undefined;
}

/**
 * Takes a prompt from its options to its result. Rejects for what the caller did wrong and for what somebody had no
 * right to; failures of the run and of the store are outcomes.
 */
export async function performPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  { streaming, signal, sink }: PromptExecution,
): Promise<PromptResult<Out>> {
  const { options } = call;
  const validator = watchValidator(options.validate?.bind(options) ?? settings.validate);
  const opened = await open(settings, call, { validator, signal });
  const { state, history } = opened.parsed;
  const conversation = opened.ok ? opened.conversation : undefined;
  const totals = openRunTotals();
  const buffer = sink && isContinuation(options) ? createEventBuffer(sink) : undefined;
  const told = buffer?.sink ?? sink;
  const tell: Emit = (event) => {
    totals.sink(event);
    told?.(event);
  };
  const watch = conversation?.view.watch(conversation.conversationId, { agent: conversation.agent });
  try {
    let result: RunResult<Out>;
    if (opened.ok) {
      const parts = { parsed: opened.parsed, options, conversation, validator, signal };
      const scopeOptions = { streaming, sink: tell, isContinuation: isContinuation(options) };
      result = await execute(state, runConfigOf(settings, parts), scopeOptions);
    } else {
      const { runId } = state;
      const emitter = { runId, conversationId: undefined, sink: tell };
      const observed = { onEvent: observerOf(settings, options) };
      result = failedBeforeRun(state, opened.error, openEmitter(observed, emitter));
    }
    throwRefusal(result.outcome, validator);
    buffer?.flush();
    return toPromptResult(result, {
      conversationId: conversation?.conversationId,
      usage: totals.usage(),
      replies: totals.replies,
      isHistory: watch?.isStored ?? ((message) => history.includes(message)),
    });
  } finally {
    watch?.end();
  }
}

type Opened<Ctx> =
  | {
      readonly ok: true;
      readonly parsed: ParsedPrompt<Ctx>;
      readonly conversation: OpenConversation | undefined;
    }
  | {
      readonly ok: false;
      readonly parsed: Pick<ParsedPrompt<Ctx>, "state" | "history">;
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
  let parsed: ParsedPrompt<Ctx> | undefined;
  try {
    parsed = await parsePrompt(settings, call, signal);
    return await openStored(parsed, { validator, signal });
  } catch (thrown) {
    // Where it was aborted, that is what is thrown.
    if (signal?.aborted !== true || !Object.is(thrown, signal.reason)) throw thrown;
    const unopened = { state: unparsedState(settings, call), history: [] };
    return { ok: false, parsed: parsed ?? unopened, error: runAborted(signal) };
  }
}

async function openStored<Ctx>(
  parsed: ParsedPrompt<Ctx>,
  { validator, signal }: Judgement,
): Promise<Opened<Ctx>> {
  const { stored, decisions, sent } = parsed;
  if (stored === undefined) return { ok: true, parsed, conversation: undefined };
  signal?.throwIfAborted();
  const given = sent === undefined ? { messages: undefined } : sentIn(sent);
  const admit = () => abortable(judgeNew(validator, { ...given, ...decisions }), signal);
  const opened = await abortable(openConversation(stored.store, stored.plan, admit), signal);
  return opened.success
    ? { ok: true, parsed, conversation: opened.data }
    : { ok: false, parsed, error: { _tag: "MemoryError", error: opened.error } };
}

/** The result where the run couldn't begin, with the events of a run. */
function failedBeforeRun<Ctx, Out>(
  state: RunState<Ctx>,
  error: JAFError,
  { emit, close }: ReturnType<typeof openEmitter>,
): RunResult<Out> {
  const outcome = Object.freeze({ status: "error", error } as const);
  const { runId, traceId } = state;
  emit?.({ type: "run_start", data: { runId, traceId } });
  emit?.({ type: "run_end", data: { outcome: frozenCopy(outcome) } });
  close();
  return { finalState: frozenState(state), outcome };
}

/**
 * Throws where the outcome is that somebody asked for what isn't theirs, or sent what was never so: what a validator
 * threw, `ContinuationValidationError`, or {@link ConversationOwnershipError}. An approval that comes too late, or
 * of arguments that are others by now, is none of these.
 */
function throwRefusal(outcome: RunResult<unknown>["outcome"], validator: WatchedValidator): void {
  if (outcome.status !== "error") return;
  const { error } = outcome;
  if (error._tag === "ContinuationRejected") {
    const refusal = validator.thrown();
    if (refusal !== undefined) throw refusal.thrown;
    const { code, reason, index } = error;
    if (code === "expired-approval" || code === "changed-arguments" || code === "rejected") return;
    throw new ContinuationValidationError({
      ok: false,
      code,
      reason,
      ...(index === undefined ? {} : { index }),
    });
  }
  if (error._tag !== "MemoryError" || error.error._tag !== "MemoryConflictError") return;
  if (error.error.reason === "owner") throw new ConversationOwnershipError();
}

/** Collects the usage and the replies of a run from its events. */
interface RunTotals {
  readonly sink: (event: TraceEvent) => void;
  /** The sum over all model calls so far. A number that no call reported is absent. */
  readonly usage: () => ModelUsage;
  readonly replies: ReadonlySet<Message>;
}

function openRunTotals(): RunTotals {
  let usage: ModelUsage = {};
  const replies = new Set<Message>();
  return {
    sink: (event) => {
      if (event.type === "assistant_message") replies.add(event.data.message);
      if (event.type !== "llm_call_end") return;
      usage = sumOfUsage(usage, event.data.usage ?? {}) ?? usage;
    },
    usage: () => usage,
    replies,
  };
}
