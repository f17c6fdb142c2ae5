import type {
  MemoryConflictReason,
  MemoryErrorUnion,
  Message,
  RunId,
  TraceId,
  WriteMetadata,
} from "@jaf/memory";
import type { Agent } from "./agent.ts";
import type { ContextManifest } from "./context-manifest.ts";
import type { JAFError } from "./errors.ts";
import type { Emit, Emitter } from "./events.ts";
import type { GivenDecisions } from "./interruption.ts";
import type { Spending } from "./limits/budget.ts";
import type { NamedAddition } from "./middleware.ts";
import type { RunConfig } from "./run-config.ts";
import type { RunResult, RunState } from "./state.ts";
import type { WriteHooks } from "./stored/append.ts";
import type { Journal } from "./stored/journal.ts";
import type { Masking } from "./thrown.ts";

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

/** What a client sent of the conversation. */
export interface Sent {
  /** Its copy of the history and what it adds; with a token, what it adds alone. A list only once it is checked. */
  readonly messages: readonly Message[];
  /** As it came. Absent: it sent a copy. */
  readonly historyToken?: unknown;
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

/** One turn of the model: the state that it begins with, and the agent. */
export interface ModelTurn<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/**
 * Makes the view for a model call. If a summary is due, it is made first. The run's own state keeps the whole history.
 */
export type MakeView<Ctx> = (turn: ModelTurn<Ctx>) => Promise<View<Ctx>>;

/** The state that the model gets. */
export type View<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Makes the manifest, only when somebody asks for it. */
      readonly describe: (additions?: readonly NamedAddition[]) => ContextManifest;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/** The state after a step of a run. Without an outcome the run goes on. */
export interface Step<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunResult<unknown>["outcome"];
  /** Another run has the turn, and this one has stored and done nothing yet. */
  readonly lostTurn?: true;
  /** Another execution of the same run ended first. */
  readonly endedElsewhere?: true;
}

/** The operation that errors of a run name, if no operation of the store failed. */
export const OPERATION = "run";

export const fail = <Ctx>(state: RunState<Ctx>, error: JAFError): Step<Ctx> => ({
  state,
  outcome: { status: "error", error },
});

export const failMemory = <Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> =>
  fail(state, { _tag: "MemoryError", error });

const LOST_TURN: readonly MemoryConflictReason[] = ["version", "metadata-version", "lease", "incarnation"];

/** Fails the run because it couldn't take its turn. */
export function failTurn<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> {
  const lost = error._tag === "MemoryConflictError" && LOST_TURN.includes(error.reason);
  return { ...failMemory(state, error), ...(lost ? { lostTurn: true } : {}) };
}

/** Fails the run because its end couldn't be stored. */
export function failEnd<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> {
  const isElsewhere = error._tag === "MemoryConflictError" && error.reason === "idempotency-key";
  return { ...failMemory(state, error), ...(isElsewhere ? { endedElsewhere: true } : {}) };
}

/** Milliseconds since 1970, by the store's clock where there is a store: times must mean the same in all processes. */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();
