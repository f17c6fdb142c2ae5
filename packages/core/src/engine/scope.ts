import type { RunId, TraceId } from "@jaf/memory";
import type { RunConfig } from "../config.ts";
import { type MakeView, openView, type ViewOptions } from "../context/view.ts";
import { openSpending, type Spending } from "../cost/spending.ts";
import { type Emit, type Emitter, openEmitter } from "../events/emitter.ts";
import { openFrozenConfig } from "../immutable/frozen.ts";
import { frozenInput } from "../immutable/messages.ts";
import type { GivenDecisions } from "../interruption/undecided.ts";
import type { Journal } from "../memory/journal.ts";
import { type Masking, maskingOf } from "../secrets/masking.ts";
import type { RunState } from "../state.ts";
import { openTimers, type Timers } from "../timing/timers.ts";

const DEFAULT_MAX_TURNS = 50;

/** What one execution of `run` works with beside its state. */
export interface RunScope<Ctx> extends Emitter {
  readonly config: RunConfig<Ctx>;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly maxTurns: number;
  readonly streaming: boolean;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the run goes on with what was decided, with results of a client's tools, or with what a client sent back. */
  readonly isContinuation: boolean;
  /** Whether no run of this id can have been before. */
  readonly isFirst: boolean;
  /** Absent when nobody listens, so that no event is made: `scope.emit?.({ … })`. */
  readonly emit: Emit | undefined;
  /** Absent when nothing is stored. */
  readonly journal: Journal | undefined;
  /** Random: two executions of the same state never share one. Made on first use. */
  readonly executionId: () => string;
  /** The configuration that the model provider gets, with the signal of the call. */
  readonly frozenConfig: ReturnType<typeof openFrozenConfig<Ctx>>;
  /** By agent, the place in `modelFallback.models`, from 1, of the model that replied last; absent or 0: the agent's own. */
  readonly modelInUse: Map<string, number>;
  /** What model calls have used. */
  readonly spending: Spending;
  /** For what ends before the run does. */
  readonly timers: Pick<Timers, "start">;
  /** Takes secrets out of what somebody else's code threw. */
  readonly mask: Masking;
  /** What the model gets of a state. */
  readonly view: MakeView<Ctx>;
  /** What was decided about calls that wait. */
  readonly given: GivenDecisions;
  /** Has something done when the turn is over, however it ends. */
  readonly onClose: (action: () => void) => void;
  /** The turn is over, and the run goes on without it. `close` does the same, once. */
  readonly leave: () => void;
}

/** What has been loaded for the run. */
interface ScopeParts {
  /** Absent: nothing is stored. */
  readonly stored?: typeof import("./stored-scope.ts");
  /** Absent: the model gets the whole history. */
  readonly context?: ViewOptions<never>["context"];
}

export interface ScopeOptions {
  readonly streaming: boolean;
  readonly isFirst?: boolean;
  readonly sink?: Emit;
  /** Where the configuration doesn't tell: the history that the run is given was sent back by a client. */
  readonly isContinuation?: boolean;
  readonly parts?: ScopeParts;
}

export function openScope<Ctx>(
  state: RunState<Ctx>,
  config: RunConfig<Ctx>,
  { streaming, sink, isFirst = false, isContinuation = false, parts: { stored, context } = {} }: ScopeOptions,
): RunScope<Ctx> {
  const { runId, traceId, messages: initial } = state;
  const { memory, conversationId, signal, approvals = [], toolResults = [] } = config;
  const { emit, close } = openEmitter(config, { runId, conversationId, sink });
  const executionId = once(() => crypto.randomUUID());
  const timers = openTimers();
  const closing: (() => void)[] = [];
  const leave = () => {
    for (const action of closing.splice(0)) action();
  };
  const spending = openSpending(config);
  const journal =
    memory?.autoStore !== true || conversationId === undefined || stored === undefined
      ? undefined
      : stored.openJournal({
          memory,
          conversationId,
          runId,
          traceId,
          executionId: executionId(),
          runKey: stored.runKeyOf(state, config),
          signal,
          emit,
          spending,
        });
  if (journal !== undefined) closing.push(journal.close);
  return {
    config,
    runId,
    traceId,
    maxTurns: config.maxTurns ?? DEFAULT_MAX_TURNS,
    streaming,
    startedAt: Date.now(),
    isContinuation:
      isContinuation || config.continuation !== undefined || approvals.length > 0 || toolResults.length > 0,
    isFirst,
    emit,
    close: () => {
      close();
      timers.close();
      leave();
    },
    leave,
    onClose: (action) => void closing.push(action),
    executionId,
    given: { approvals: frozenInput(approvals), toolResults: frozenInput(toolResults) },
    frozenConfig: openFrozenConfig(config),
    modelInUse: new Map(),
    spending,
    timers,
    mask: maskingOf(config),
    journal,
    view: openView({
      config,
      stored: journal &&
        stored && {
          journal,
          source: () => stored.storedSource(journal),
          media: stored.openMedia(journal, signal),
        },
      context,
      initial,
    }),
  };
}

/** Milliseconds since 1970, by the clock of the store where there is one: what one process promises, another keeps. */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
