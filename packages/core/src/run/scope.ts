import type { RunId, TraceId, WriteMetadata, Message } from "@jaf/memory";
import type { RunConfig, Resume } from "../run-config.ts";
import { type MakeView, openView } from "../context/prepare-context.ts";
import { openSpending, type Spending } from "../limits/budget.ts";
import { type Emit, type Emitter, openEmitter } from "../events.ts";
import { frozenInput } from "../immutable/messages.ts";
import type { GivenDecisions } from "../approvals/decisions.ts";
import type { WriteHooks } from "../stored/append.ts";
import { type Journal, openJournal } from "../stored/journal.ts";
import { type Masking, maskingOf } from "../thrown.ts";
import type { RunState } from "../state.ts";
import { fingerprint } from "../stored/fingerprint.ts";

const DEFAULT_MAX_TURNS = 50;

/** Everything that one execution of a run works with, except for its state. */
export interface RunScope<Ctx> extends Emitter {
  readonly config: RunConfig<Ctx>;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly maxTurns: number;
  readonly streaming: boolean;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the run continues with decisions, with results of a client's tools, or with what a client sent back. */
  readonly isContinuation: boolean;
  /** To be called once what a client sent is known to fit the conversation. */
  readonly onJudged: (() => void) | undefined;
  /** Whether what a client sent was judged as the beginning of a new conversation. */
  readonly isJudgedNew: boolean;
  /** What the application's validator has thrown, which an outcome can't contain. */
  refusal: { readonly thrown: unknown } | undefined;
  /** Absent without an observer, so that no event is made: `scope.emit?.({ … })`. */
  readonly emit: Emit | undefined;
  /** Absent when nothing is stored. */
  readonly journal: Journal | undefined;
  /** Random, of this execution. Made on first use. */
  readonly executionId: () => string;
  /** By agent, the number in `modelFallback.models`, from 1, of the model that replied last; absent or 0: the agent's own. */
  readonly modelInUse: Map<string, number>;
  /** The usage of model calls. */
  readonly spending: Spending;
  /** Masks secrets in errors of the application's code. */
  readonly mask: Masking;
  /** Makes the view of a state for the model. */
  readonly view: MakeView<Ctx>;
  /** What a client sent of the conversation. */
  readonly sent: Sent | undefined;
  /** The decisions about calls that wait. */
  readonly given: GivenDecisions;
  /** Registers an action for the end of the turn, however it ends. */
  readonly onClose: (action: () => void) => void;
  /** Ends the turn, while the run goes on. `close` does so, too, if it hasn't been done. */
  readonly leave: () => void;
}

export interface ScopeOptions {
  readonly streaming: boolean;
  readonly sink?: Emit;
  /** Whether the history in the state was sent back by a client, which the configuration doesn't tell. */
  readonly isContinuation?: boolean;
  readonly onJudged?: () => void;
  readonly isJudgedNew?: boolean;
  /** Stored in the metadata with each write of the run. */
  readonly label?: WriteMetadata;
  /** Of the turn service: asked before each write of messages or of the lease, and told of it afterwards. */
  readonly writes?: WriteHooks | undefined;
}

export function openScope<Ctx>(
  state: RunState<Ctx>,
  config: RunConfig<Ctx>,
  { streaming, sink, isContinuation = false, onJudged, isJudgedNew = false, label, writes }: ScopeOptions,
): RunScope<Ctx> {
  const { runId, traceId, messages: initial } = state;
  const { memory, conversationId, signal, resume } = config;
  const { approvals = [], toolResults = [] } = resume ?? {};
  const sent = sentIn(resume ?? {});
  const { emit, close } = openEmitter(config, { runId, conversationId, sink });
  const executionId = once(() => crypto.randomUUID());
  const closing: (() => void)[] = [];
  const leave = () => {
    for (const action of closing.splice(0)) action();
  };
  const spending = openSpending(config);
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
          signal,
          emit,
          spending,
          label,
          writes,
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
    onJudged,
    isJudgedNew,
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
    mask: maskingOf(config),
    journal,
    view: openView({ config, journal, initial }),
  };
}

/** Milliseconds since 1970, by the store's clock where there is a store: times must mean the same in all processes. */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}


/**
 * A key for a run, made from its id and its whole input: the same id with the same input is the same run. `undefined` without new
 * input, which is a resumption, and for input that can't be stored anyway.
 */
export function runKeyOf<Ctx>(
  { runId, currentAgentName, messages }: RunState<Ctx>,
  { approvals, toolResults }: GivenDecisions,
  { messages: sent, ...token }: Sent = { messages: [] },
): string | undefined {
  try {
    const handedIn = [messages, approvals, toolResults, [...Object.values(token), ...sent]];
    if (handedIn.every(({ length }) => length === 0)) return undefined;
    return `run:${fingerprint([runId, currentAgentName, ...handedIn])}`;
  } catch {
    return undefined;
  }
}


/** What a client sent of the conversation. */
export interface Sent {
  /** Its copy of the history and what it adds; with a token, what it adds alone. A list only once it is checked. */
  readonly messages: readonly Message[];
  /** As it came. Absent: it sent a copy. */
  readonly historyToken?: unknown;
}

/** `undefined`: it sent neither messages nor a token. */
export function sentIn({ messages, historyToken }: Resume): Sent | undefined {
  if (historyToken !== undefined) return { messages: messages ?? [], historyToken };
  return messages === undefined ? undefined : { messages };
}

export const isByToken = (sent: Sent | undefined): boolean => sent?.historyToken !== undefined;
