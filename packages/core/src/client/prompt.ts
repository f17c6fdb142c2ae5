import type { ContinuationValidator } from "@jaf/memory";
import {
  assertValidContinuation,
  ContinuationValidationError,
  conversationMetadata,
  defaultContinuationValidator,
  present,
} from "@jaf/memory/internal";
import type { JAFError } from "../errors.ts";
import { type Emit, openEmitter, type TraceEvent } from "../events.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { abortable, runAborted } from "../limits/abort.ts";
import { type Ended, execute } from "../run/run.ts";
import type { Resume, RunConfig } from "../run-config.ts";
import type { ScopeOptions } from "../run-scope.ts";
import { frozenState, type RunOutcome, type RunState } from "../state.ts";
import type { ClientSettings } from "./config.ts";
import { ConversationOwnershipError, type OpenConversation, openConversation } from "./conversation.ts";
import { isContinuation } from "./options.ts";
import { type ParsedPrompt, type PromptCall, parsePrompt, unparsedState } from "./parse-prompt.ts";
import { openRunTotals, type PromptResult, toPromptResult } from "./prompt-result.ts";
import { observerOf, runConfigOf } from "./run-config.ts";

/** The options for observing and aborting the run of a prompt. */
export interface PromptExecution extends ScopeOptions {
  readonly signal: AbortSignal | undefined;
}

/**
 * Performs a prompt and resolves with its result, which has the failures of the run and of the store. Rejects if an
 * argument or the client's input is invalid, or if the user has no access to the conversation.
 */
export async function performPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  { streaming, signal, sink, writes }: PromptExecution,
): Promise<PromptResult<Out>> {
  const { options } = call;
  const validate = options.validate?.bind(options) ?? settings.run.validate;
  const opened = await open(settings, call, { validate, signal });
  const { state, history } = opened.parsed;
  const conversation = opened.ok ? opened.conversation : undefined;
  const totals = openRunTotals();
  const owner = conversation?.mustOwn === true ? conversation.userId : undefined;
  // Ownership and the client's input are checked before the first event is emitted.
  const heldEvents = sink && holdEvents(sink, owner !== undefined || isContinuation(options));
  const emit: Emit = (event) => {
    totals.sink(event);
    heldEvents?.sink(event);
  };
  const ended = opened.ok
    ? await execute<Ctx, Out>(
        state,
        runConfigOf(settings, { parsed: opened.parsed, options, conversation, validate, signal }),
        {
          ...{ streaming, writes, sink: emit },
          isContinuation: isContinuation(options),
          isValidatedAsNew: opened.isValidatedAsNew,
          ...(heldEvents && { onAccepted: heldEvents.release }),
          ...present({ owner }),
          ...(conversation?.agent && { label: conversationMetadata({ agent: conversation.agent }) }),
        },
      )
    : failedBeforeRun<Ctx, Out>(state, opened.error, emitterOf(settings, call, { state, sink: emit }));
  throwRefusal(ended.result.outcome, ended.refusal);
  heldEvents?.release();
  return toPromptResult(ended.result, {
    conversationId: conversation?.conversationId,
    usage: totals.usage(),
    replies: totals.replies,
    isHistory: conversation === undefined ? (message) => history.includes(message) : ended.isStored,
  });
}

/**
 * Opens a sink that passes events on to `sink`. If `isHeld` is `true`, it holds the events back until `release` is
 * called.
 */
function holdEvents(sink: Emit, isHeld: boolean): { readonly sink: Emit; readonly release: () => void } {
  let held: TraceEvent[] | undefined = isHeld ? [] : undefined;
  return {
    sink: (event) => {
      if (held === undefined) sink(event);
      else held.push(event);
    },
    release: () => {
      const events = held ?? [];
      held = undefined;
      events.forEach(sink);
    },
  };
}

type Opened<Ctx> =
  | {
      readonly ok: true;
      readonly parsed: ParsedPrompt<Ctx>;
      readonly conversation: OpenConversation | undefined;
      /** Whether the client's input was validated for a new, empty conversation. */
      readonly isValidatedAsNew: boolean;
    }
  | {
      readonly ok: false;
      readonly parsed: Pick<ParsedPrompt<Ctx>, "state" | "history">;
      readonly error: JAFError;
    };

interface Validation<Ctx> {
  readonly validate: RunConfig<Ctx>["validate"];
  readonly signal: AbortSignal | undefined;
}

async function open<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  { validate, signal }: Validation<Ctx>,
): Promise<Opened<Ctx>> {
  let parsed: ParsedPrompt<Ctx> | undefined;
  try {
    parsed = await parsePrompt(settings, call, signal);
    return await openStored(parsed, { validate, signal });
  } catch (thrown) {
    // After an abort, the functions above throw the signal's reason.
    if (signal?.aborted !== true || !Object.is(thrown, signal.reason)) throw thrown;
    const unopened = { state: unparsedState(settings, call), history: [] };
    return { ok: false, parsed: parsed ?? unopened, error: runAborted(signal) };
  }
}

async function openStored<Ctx>(
  parsed: ParsedPrompt<Ctx>,
  { validate, signal }: Validation<Ctx>,
): Promise<Opened<Ctx>> {
  const { stored, resume = {} } = parsed;
  if (stored === undefined) return { ok: true, parsed, conversation: undefined, isValidatedAsNew: false };
  signal?.throwIfAborted();
  let isValidatedAsNew = false;
  const admit = async () => {
    await abortable(validateNew(resume, validate), signal);
    isValidatedAsNew = true;
  };
  const opened = await abortable(openConversation(stored.store, stored.choice, admit), signal);
  return opened.success
    ? { ok: true, parsed, conversation: opened.data, isValidatedAsNew }
    : { ok: false, parsed, error: { _tag: "MemoryError", error: opened.error } };
}

function emitterOf<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  { options }: PromptCall<Ctx>,
  { state, sink }: { readonly state: RunState<Ctx>; readonly sink: Emit },
) {
  const observed = { onEvent: observerOf(settings, options) };
  return openEmitter(observed, { runId: state.runId, conversationId: undefined, sink });
}

/** Returns the result of a run that couldn't begin, and emits the events `run_start` and `run_end`. */
function failedBeforeRun<Ctx, Out>(
  state: RunState<Ctx>,
  error: JAFError,
  { emit, close }: ReturnType<typeof openEmitter>,
): Ended<Out> {
  const outcome = Object.freeze({ status: "error", error } as const);
  const { runId, traceId } = state;
  emit?.({ type: "run_start", data: { runId, traceId } });
  emit?.({ type: "run_end", data: { outcome: frozenCopy(outcome) } });
  close();
  return { result: { finalState: frozenState(state), outcome }, isStored: () => false, refusal: undefined };
}

/**
 * Throws an error in three cases:
 *
 * - `RunConfig.validate` refused the client's input: throws the error of `validate`.
 * - The client's input doesn't match the stored conversation: throws a `ContinuationValidationError`.
 * - The user doesn't own the conversation: throws a {@link ConversationOwnershipError}.
 *
 * Doesn't throw for an expired approval, or for an approved call whose arguments, tool or agent have changed.
 */
function throwRefusal(outcome: RunOutcome<unknown>, refusal: Ended<unknown>["refusal"]): void {
  if (outcome.status !== "error") return;
  const { error } = outcome;
  if (error._tag === "ContinuationRejected") {
    if (refusal !== undefined) throw refusal.thrown;
    const { code, reason, index } = error;
    if (code === "expired-approval" || code === "changed-arguments") return;
    if (code === "changed-tool" || code === "rejected") return;
    throw new ContinuationValidationError({
      ok: false,
      code,
      reason,
      ...present({ index }),
    });
  }
  if (error._tag !== "MemoryError" || error.error._tag !== "MemoryConflictError") return;
  if (error.error.reason === "owner") throw new ConversationOwnershipError();
}

/**
 * Validates the client's input before a new conversation is created. Rejects with a `ContinuationValidationError` or
 * the error of `validate`.
 */
async function validateNew(
  { messages, historyToken, approvals = [], toolResults = [] }: Resume,
  validate: ContinuationValidator = defaultContinuationValidator(),
): Promise<void> {
  const facts = {
    ...{ pendingApprovals: [], clientToolCallIds: [], dropped: 0 },
    ...(historyToken === undefined ? {} : { historyToken: { sent: historyToken, expected: undefined } }),
  };
  if (messages !== undefined) await validate({ persisted: [], incoming: messages, approvals, ...facts });
  // A run checks the input in the same way, even if the application's validator has accepted it.
  assertValidContinuation([], messages ?? [], { mode: "compatible", approvals, ...facts });
  const answers = toolResults.map(({ toolCallId }) => ({
    role: "tool",
    content: "",
    tool_call_id: toolCallId,
  }));
  assertValidContinuation([], answers, { mode: "compatible", ...facts, historyToken: undefined });
}
