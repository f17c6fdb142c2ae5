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

/** Everything that one execution of a run uses, except for the run's state. */
export interface RunScope<Ctx> extends Emitter {
  readonly config: RunConfig<Ctx>;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly maxTurns: number;
  readonly streaming: boolean;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the run continues with decisions, with results of a client's tools, or with a history that a client sent back. */
  readonly isContinuation: boolean;
  /**
   * Called when two checks have passed: the conversation belongs to the owner, and the client's input matches the
   * conversation.
   */
  readonly onAccepted: (() => void) | undefined;
  /** Whether the agent client has already validated the client's input for a new, empty conversation. */
  readonly isValidatedAsNew: boolean;
  /** The error that `RunConfig.validate` threw. It is kept here, because an outcome has only the text of the error. */
  refusal: { readonly thrown: unknown } | undefined;
  /**
   * Absent if the run has no observer. Callers write `scope.emit?.({ … })`, so without an observer the event isn't even
   * created.
   */
  readonly emit: Emit | undefined;
  /** Stores the run's messages. Absent if nothing is stored. */
  readonly journal: Journal | undefined;
  /** Returns a random id of this execution. The id is created on first use. */
  readonly executionId: () => string;
  /**
   * Which model gave an agent's last reply, by the agent's registry key: the model's number in `modelFallback.models`, from
   * 1. Absent or 0: the agent's own model.
   */
  readonly modelInUse: Map<string, number>;
  /** The usage of the run's model calls so far. */
  readonly spending: Spending;
  /** Masks secrets in the errors of tools and guardrails; see `RunConfig.maskSecrets`. */
  readonly mask: Masking;
  /** Converts the messages of a state into the messages that the model gets in a call. */
  readonly prepareContext: PrepareContext<Ctx>;
  /** The client's copy of the history, or the history token that the client sent. */
  readonly sent: SentHistory | undefined;
  /** The decisions and tool results that were passed in `RunConfig.resume`. They aren't checked yet. */
  readonly given: GivenDecisions;
  /** Registers an action that runs when the run gives up its place in the queue and its lease, whatever the outcome is. */
  readonly onClose: (action: () => void) => void;
  /**
   * Gives up the run's place in the queue and its lease before the run ends. If `leave` isn't called, `close` gives up
   * both.
   */
  readonly leave: () => void;
}

/** The client's copy of the history, or the history token that the client sent. */
export interface SentHistory {
  /**
   * The client's copy of the history, and the messages that the client adds. If the client sent a history token, only
   * the added messages. The value isn't checked yet, so it might not be a list.
   */
  readonly messages: readonly Message[];
  /** The client's history token, which isn't checked yet. Absent: the client sent a copy of the history. */
  readonly historyToken?: unknown;
}

export interface ScopeOptions {
  readonly streaming: boolean;
  readonly sink?: Emit;
  /** Whether the history in the state came from a client. The run's configuration alone doesn't show this. */
  readonly isContinuation?: boolean;
  readonly onAccepted?: () => void;
  /**
   * If set, the conversation must exist and belong to this user. If absent, the conversation need not exist: the run
   * can create it.
   */
  readonly owner?: string | undefined;
  readonly isValidatedAsNew?: boolean;
  /** Metadata that each write of the run stores, e.g. the name of the thread. */
  readonly label?: WriteMetadata;
  /** Hooks of a server job. They are called before and after each write of messages or of the lease. */
  readonly writes?: WriteHooks | undefined;
}

/** The state and the agent that a step begins with. */
export interface StepStart<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/**
 * Prepares the messages that the model gets in a call. Makes a summary first if one is due. The run's own state keeps the
 * whole history.
 */
export type PrepareContext<Ctx> = (step: StepStart<Ctx>) => Promise<PreparedContext<Ctx>>;

/** The state with the messages that the model gets, or the error that prevents the call. */
export type PreparedContext<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Creates the manifest. Call this function only if the run has an observer. */
      readonly toManifest: (additions?: readonly PromptAddition[]) => ContextManifest;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/** The state after a part of a run. If there is no outcome, the run continues. */
export interface RunProgress<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunOutcome<unknown>;
  /**
   * Another run holds the lease, and this run has not yet stored a message or run a tool. So this run can wait and
   * begin again.
   */
  readonly lostLease?: true;
  /** Another execution of the same run has ended before this one. */
  readonly endedElsewhere?: true;
}

/** The operation name in a run's memory errors that don't come from an operation of the store. */
export const OPERATION = "run";

export const fail = <Ctx>(state: RunState<Ctx>, error: JAFError): RunProgress<Ctx> => ({
  state,
  outcome: { status: "error", error },
});

export const failMemory = <Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> =>
  fail(state, { _tag: "MemoryError", error });

const LOST_LEASE: readonly MemoryConflictReason[] = ["version", "metadata-version", "lease", "incarnation"];

/** Returns the progress of a run that ends with an error, because it couldn't take the lease. */
export function failLease<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const lost = error._tag === "MemoryConflictError" && LOST_LEASE.includes(error.reason);
  return { ...failMemory(state, error), ...(lost ? { lostLease: true } : {}) };
}

/** Returns the progress of a run that ends with an error, because its end couldn't be stored. */
export function failEnd<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const isElsewhere = error._tag === "MemoryConflictError" && error.reason === "idempotency-key";
  return { ...failMemory(state, error), ...(isElsewhere ? { endedElsewhere: true } : {}) };
}

/**
 * Returns the current time in milliseconds since 1970. Uses the store's clock if the run stores messages, because all
 * processes must agree on the time.
 */
export const timeOf = <Ctx>({ journal }: RunScope<Ctx>): number => journal?.now() ?? Date.now();
