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
import type { PromptAddition } from "./middleware.ts";
import type { RunConfig } from "./run-config.ts";
import type { RunOutcome, RunState } from "./state.ts";
import type { WriteHooks } from "./stored/append.ts";
import type { Journal } from "./stored/journal.ts";
import type { Masking } from "./thrown.ts";

/** Everything that one execution of a run uses, except for its state. */
export interface RunScope<Ctx> extends Emitter {
  readonly config: RunConfig<Ctx>;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly maxTurns: number;
  readonly streaming: boolean;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the run continues with decisions, results of a client's tools, or a history that a client sent back. */
  readonly isContinuation: boolean;
  /** Called once the conversation is the owner's and the client's input is validated against it. */
  readonly onAccepted: (() => void) | undefined;
  /** Whether the client's input was validated as the beginning of a new conversation. */
  readonly isValidatedAsNew: boolean;
  /** The error that the application's validator threw. An outcome can't contain it. */
  refusal: { readonly thrown: unknown } | undefined;
  /** Absent without an observer, so `scope.emit?.({ … })` doesn't create the event. */
  readonly emit: Emit | undefined;
  /** Absent if nothing is stored. */
  readonly journal: Journal | undefined;
  /** A random id of this execution, created on first use. */
  readonly executionId: () => string;
  /** The model that replied last, by agent: its number in `modelFallback.models`, from 1. Absent or 0: the agent's own model. */
  readonly modelInUse: Map<string, number>;
  /** The usage of model calls. */
  readonly spending: Spending;
  /** Masks secrets in errors of the application's code. */
  readonly mask: Masking;
  /** Prepares the context for a model call from a state. */
  readonly prepareContext: PrepareContext<Ctx>;
  /** The client's copy of the history, or its token. */
  readonly sent: SentHistory | undefined;
  /** The decisions about calls that wait. */
  readonly given: GivenDecisions;
  /** Registers an action that runs when the run gives up its place in the queue and its lease, whatever the outcome. */
  readonly onClose: (action: () => void) => void;
  /** Gives up the place in the queue and the lease while the run continues. Otherwise `close` does so. */
  readonly leave: () => void;
}

/** The client's copy of the history, or its token. */
export interface SentHistory {
  /** The client's copy of the history and its additions; with a token, only the additions. Unchecked: it might not be a list. */
  readonly messages: readonly Message[];
  /** Unchecked. Absent: the client sent a copy of the history. */
  readonly historyToken?: unknown;
}

export interface ScopeOptions {
  readonly streaming: boolean;
  readonly sink?: Emit;
  /** Whether a client sent back the history in the state. The configuration doesn't show this. */
  readonly isContinuation?: boolean;
  readonly onAccepted?: () => void;
  /** The user that the stored conversation must belong to. Absent: the run can create the conversation. */
  readonly owner?: string | undefined;
  readonly isValidatedAsNew?: boolean;
  /** Stored in the metadata with each write of the run. */
  readonly label?: WriteMetadata;
  /** Hooks of a server job, called before and after each write of messages or of the lease. */
  readonly writes?: WriteHooks | undefined;
}

/** The state and the agent that a step begins with. */
export interface StepStart<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/** Prepares the context of a model call. Makes a summary first if one is due. The run's own state keeps the whole history. */
export type PrepareContext<Ctx> = (step: StepStart<Ctx>) => Promise<PreparedContext<Ctx>>;

/** The state that the model gets. */
export type PreparedContext<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Creates the manifest. Call it only if there is an observer. */
      readonly toManifest: (additions?: readonly PromptAddition[]) => ContextManifest;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/** The state after a part of a run. Without an outcome the run continues. */
export interface RunProgress<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunOutcome<unknown>;
  /** Another run holds the lease, and this run has stored nothing and run no tool yet. */
  readonly lostLease?: true;
  /** Another execution of the same run ended first. */
  readonly endedElsewhere?: true;
}

/** The operation that a run's errors name if no store operation failed. */
export const OPERATION = "run";

export const fail = <Ctx>(state: RunState<Ctx>, error: JAFError): RunProgress<Ctx> => ({
  state,
  outcome: { status: "error", error },
});

export const failMemory = <Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> =>
  fail(state, { _tag: "MemoryError", error });

const LOST_LEASE: readonly MemoryConflictReason[] = ["version", "metadata-version", "lease", "incarnation"];

/** Fails the run because it couldn't take the lease. */
export function failLease<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const lost = error._tag === "MemoryConflictError" && LOST_LEASE.includes(error.reason);
  return { ...failMemory(state, error), ...(lost ? { lostLease: true } : {}) };
}

/** Fails the run because its end couldn't be stored. */
export function failEnd<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const isElsewhere = error._tag === "MemoryConflictError" && error.reason === "idempotency-key";
  return { ...failMemory(state, error), ...(isElsewhere ? { endedElsewhere: true } : {}) };
}

/**
 * Returns the time in milliseconds since 1970, by the store's clock if there is a store, because all processes must agree on
 * it.
 */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();
