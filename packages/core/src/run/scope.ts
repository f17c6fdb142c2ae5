import { openContext } from "../context/prepare-context.ts";
import { openEmitter } from "../events.ts";
import { frozenInput } from "../immutable/messages.ts";
import { inboxEngineOf } from "../inbox-engine.ts";
import type { GivenDecisions } from "../interruption.ts";
import { openSpending } from "../limits/budget.ts";
import type { Resume, RunConfig } from "../run-config.ts";
import type { Execute, RunScope, ScopeOptions, SentHistory } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { fingerprint } from "../stored/fingerprint.ts";
import { openJournal } from "../stored/journal.ts";
import { maskingOf } from "../thrown.ts";

const DEFAULT_MAX_TURNS = 50;

export function openScope<Ctx>(
  state: RunState<Ctx>,
  config: RunConfig<Ctx>,
  {
    streaming,
    sink,
    isContinuation = false,
    onAccepted,
    owner,
    isValidatedAsNew = false,
    label,
    writes,
    outer,
  }: ScopeOptions,
  execute: Execute,
): RunScope<Ctx> {
  const { runId, traceId, messages: initial } = state;
  const { memory, conversationId, signal, resume } = config;
  const { approvals = [], toolResults = [] } = resume ?? {};
  const sent = sentHistoryIn(resume ?? {});
  const { emit, close } = openEmitter(config, { runId, conversationId, sink });
  const executionId = once(() => crypto.randomUUID());
  const closing: (() => void)[] = [];
  const leave = () => {
    for (const action of closing.splice(0)) action();
  };
  const spending = openSpending(config, outer?.spending);
  const ledger = config.ledger?.open(config, {
    context: state.context,
    account: outer?.account,
    emit,
    spending,
  });
  const journal =
    memory?.autoStore !== true || conversationId === undefined
      ? undefined
      : openJournal({
          memory,
          conversationId,
          runId,
          traceId,
          executionId: executionId(),
          runKey: runKeyOf(state, { approvals, toolResults }, sent),
          owner,
          signal,
          emit,
          spending,
          prompts: ledger?.prompts,
          label,
          writes,
          parent: outer?.parent,
          inbox:
            memory.inbox && inboxEngineOf(memory.inbox)?.open(memory.inbox.store, { conversationId, signal }),
        });
  if (journal !== undefined) closing.push(journal.close);
  return {
    config,
    runId,
    traceId,
    maxTurns: config.maxTurns ?? DEFAULT_MAX_TURNS,
    streaming,
    startedAt: Date.now(),
    isContinuation: isContinuation || sent !== undefined || approvals.length > 0 || toolResults.length > 0,
    onAccepted,
    isValidatedAsNew,
    refusal: undefined,
    emit,
    close: () => {
      close();
      leave();
    },
    leave,
    onClose: (action) => void closing.push(action),
    executionId,
    sent,
    given: { approvals: frozenInput(approvals), toolResults: frozenInput(toolResults) },
    modelInUse: new Map(),
    spending,
    ledger,
    mask: maskingOf(config),
    journal,
    prepareContext: openContext({ config, journal, initial }),
    writes,
    depth: outer?.depth ?? 0,
    outerTurn: outer?.turn,
    execute,
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Returns the idempotency key of the write that ends the run, made from the run's id and its whole input. `undefined`:
 * the run has no new input, or input that can't be stored.
 */
function runKeyOf<Ctx>(
  { runId, currentAgentName, messages }: RunState<Ctx>,
  { approvals, toolResults }: GivenDecisions,
  { messages: sent, ...token }: SentHistory = { messages: [] },
): string | undefined {
  try {
    const handedIn = [messages, approvals, toolResults, [...Object.values(token), ...sent]];
    if (handedIn.every(({ length }) => length === 0)) return undefined;
    return `run:${fingerprint([runId, currentAgentName, ...handedIn])}`;
  } catch {
    return undefined;
  }
}

/** Returns the history or the history token that a client sent; `undefined` if it sent neither. */
function sentHistoryIn({ messages, historyToken }: Resume): SentHistory | undefined {
  if (historyToken !== undefined) return { messages: messages ?? [], historyToken };
  return messages === undefined ? undefined : { messages };
}
