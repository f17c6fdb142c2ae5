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
  readonly onContinuationAccepted: (() => void) | undefined;
  /** Whether what a client sent was validated as the beginning of a new conversation. */
  readonly isValidatedAsNew: boolean;
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
  /** Prepares the context that the model gets of a state. */
  readonly prepareContext: PrepareContext<Ctx>;
  /** What a client sent of the conversation. */
  readonly sent: SentHistory | undefined;
  /** The decisions about calls that wait. */
  readonly given: GivenDecisions;
  /** Registers an action for when the run gives up its place in the queue and its lease, however the run ends. */
  readonly onClose: (action: () => void) => void;
  /** Gives up the place in the queue and the lease, while the run goes on. `close` does so, too, if it hasn't been done. */
  readonly leave: () => void;
}

/** What a client sent of the conversation. */
export interface SentHistory {
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
  readonly onContinuationAccepted?: () => void;
  readonly isValidatedAsNew?: boolean;
  /** Stored in the metadata with each write of the run. */
  readonly label?: WriteMetadata;
  /** Of a server job: asked before each write of messages or of the lease, and told of it afterwards. */
  readonly writes?: WriteHooks | undefined;
}

/** What a step begins with: the state, and the agent. */
export interface StepStart<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/**
 * Prepares the context of a model call. If a summary is due, it is made first. The run's own state keeps the whole history.
 */
export type PrepareContext<Ctx> = (step: StepStart<Ctx>) => Promise<PreparedContext<Ctx>>;

/** The state that the model gets. */
export type PreparedContext<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Makes the manifest. Call it only if there is an observer. */
      readonly toManifest: (additions?: readonly PromptAddition[]) => ContextManifest;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/** The state after a part of a run. Without an outcome the run goes on. */
export interface RunProgress<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunResult<unknown>["outcome"];
  /** Another run holds the lease, and this one has stored and done nothing yet. */
  readonly lostLease?: true;
  /** Another execution of the same run ended first. */
  readonly endedElsewhere?: true;
}

/** The operation that errors of a run name, if no operation of the store failed. */
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

/** Milliseconds since 1970, by the store's clock where there is a store: times must mean the same in all processes. */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();
