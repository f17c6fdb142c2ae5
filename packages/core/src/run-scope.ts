import type {
  MemoryConflictReason,
  MemoryErrorUnion,
  Message,
  ParentConversation,
  RunId,
  TraceId,
  WriteMetadata,
} from "@jaf/memory";
import type { Agent } from "./agent.ts";
import type { ContextManifest } from "./context-manifest.ts";
import type { JAFError } from "./errors.ts";
import type { Emit, Emitter } from "./events.ts";
import type { GivenDecisions } from "./interruption.ts";
import type { Account } from "./ledger/account.ts";
import type { CallLedger } from "./ledger/call-ledger.ts";
import type { Spending } from "./limits/budget.ts";
import type { PromptAddition } from "./middleware.ts";
import type { RunConfig } from "./run-config.ts";
import type { RunOutcome, RunResult, RunState } from "./state.ts";
import type { WriteHooks } from "./stored/append.ts";
import type { Journal } from "./stored/journal.ts";
import type { Masking } from "./thrown.ts";
import type { ToolCallTurn } from "./tools/tool.ts";

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
  /** Called when the run has found that the conversation belongs to the owner and matches the client's input. */
  readonly onAccepted: (() => void) | undefined;
  /** Whether the agent client has already validated the client's input for a new, empty conversation. */
  readonly isValidatedAsNew: boolean;
  /** The error that `RunConfig.validate` threw. `undefined`: it threw none. */
  refusal: { readonly thrown: unknown } | undefined;
  /**
   * Emits an event. `undefined`: the run has no observer. Write `scope.emit?.({ … })`, so the event isn't even created.
   */
  readonly emit: Emit | undefined;
  /** Stores the run's messages. `undefined`: nothing is stored. */
  readonly journal: Journal | undefined;
  /** Returns a random id of this execution. The id is created on first use. */
  readonly executionId: () => string;
  /**
   * By the agent's registry key, the model that gave its last reply: a number in `modelFallback.models`, from 1. Absent
   * or 0: the agent's own model.
   */
  readonly modelInUse: Map<string, number>;
  /** The usage of the run's model calls so far. */
  readonly spending: Spending;
  /** The ledger that counts the run's model calls. `undefined`: the run has none. */
  readonly ledger: CallLedger | undefined;
  /** Masks secrets in the errors of tools and guardrails; see `RunConfig.maskSecrets`. */
  readonly mask: Masking;
  /** Converts the messages of a state into the messages that the model gets in a call. */
  readonly prepareContext: PrepareContext<Ctx>;
  /** The client's copy of the history, or its history token. `undefined`: the client sent neither. */
  readonly sent: SentHistory | undefined;
  /** The decisions and tool results in `RunConfig.resume`, which aren't checked yet. */
  readonly given: GivenDecisions;
  /** Registers an action that runs when the run gives up its place in the queue and its lease. */
  readonly onClose: (action: () => void) => void;
  /** Gives up the run's place in the queue and its lease now, and not only when the run ends. */
  readonly leave: () => void;
  /** Executes a run, for the inner runs of agent tools; see `asTool`. */
  // Passed on, because the engine's loop calls itself here, and its files must not import each other in a circle.
  readonly execute: Execute;
  readonly writes: WriteHooks | undefined;
  /** How many outer runs this run has; 0 for a run that no agent tool has called. */
  readonly depth: number;
  /** What the user said in the outermost run's turn. `undefined`: this run has no outer run. */
  readonly outerTurn: UserTurn | undefined;
}

/** Executes a run to its end. */
export type Execute = <Ctx>(
  state: RunState<Ctx>,
  config: RunConfig<Ctx>,
  options: ScopeOptions,
) => Promise<{ readonly result: RunResult<unknown> }>;

/** What the user said in a turn, and where it is stored. */
export type UserTurn = Omit<ToolCallTurn, "messages">;

/** The client's copy of the history, or the history token that the client sent. */
export interface SentHistory {
  /**
   * The messages that the client sent: its copy of the history and its additions. With a history token, only its
   * additions. They aren't checked yet, so the value might not be a list.
   */
  readonly messages: readonly Message[];
  /** The client's history token, which isn't checked yet. Absent: the client sent a copy of the history. */
  readonly historyToken?: unknown;
}

export interface ScopeOptions {
  readonly streaming: boolean;
  readonly sink?: Emit;
  /** Whether the history in the state came from a client. */
  readonly isContinuation?: boolean;
  readonly onAccepted?: () => void;
  /**
   * The user that the conversation must belong to; it must exist. `undefined`: the owner isn't checked, and the run can
   * create the conversation.
   */
  readonly owner?: string | undefined;
  readonly isValidatedAsNew?: boolean;
  /** Metadata that each write of the run stores, e.g. the name of the thread. */
  readonly label?: WriteMetadata;
  /** Hooks of a server job, called before and after each write of messages or of the lease. */
  readonly writes?: WriteHooks | undefined;
  /** What an inner run gets of its outer run. Absent: the run has no outer run. */
  readonly outer?: OuterRun;
}

/** What an inner run (see `asTool`) gets of its outer run. */
export interface OuterRun {
  readonly depth: number;
  readonly turn: UserTurn;
  /** The budget of the outer run, which the inner run shares. */
  readonly spending: Spending;
  /** The ledger's account of the outer run, which the inner run's calls are added to. `undefined`: no ledger. */
  readonly account: Account | undefined;
  /** The outer conversation, whose child the inner run's conversation becomes. `undefined`: nothing is stored. */
  readonly parent: ParentConversation | undefined;
}

/** The state and the agent that a step begins with. */
export interface StepStart<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/** Prepares the messages that the model gets in a call, including a summary if one is due. */
export type PrepareContext<Ctx> = (step: StepStart<Ctx>) => Promise<PreparedContext<Ctx>>;

/** The state with the messages that the model gets, or the error that prevents the call. */
export type PreparedContext<Ctx> =
  | {
      readonly ok: true;
      readonly state: RunState<Ctx>;
      /** Creates the manifest. Call it only if the run has an observer. */
      readonly toManifest: (additions?: readonly PromptAddition[]) => ContextManifest;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly error: JAFError;
}

/** The state after a part of a run. Without an `outcome`, the run continues. */
export interface RunProgress<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunOutcome<unknown>;
  /**
   * Present if another run holds the lease and this run can begin again, because it has stored nothing and run no tool.
   */
  readonly lostLease?: true;
  /** Present if another execution of the same run has ended before this one. */
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

/** Returns the progress of a run that fails because it couldn't take the lease. */
export function failLease<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const lost = error._tag === "MemoryConflictError" && LOST_LEASE.includes(error.reason);
  return { ...failMemory(state, error), ...(lost ? { lostLease: true } : {}) };
}

/** Returns the progress of a run that fails because its end couldn't be stored. */
export function failEnd<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): RunProgress<Ctx> {
  const isElsewhere = error._tag === "MemoryConflictError" && error.reason === "idempotency-key";
  return { ...failMemory(state, error), ...(isElsewhere ? { endedElsewhere: true } : {}) };
}

/** Returns the current time in milliseconds since 1970, by the store's clock if the run stores messages. */
export const timeOf = <Ctx>({ journal }: Pick<RunScope<Ctx>, "journal">): number =>
  journal?.now() ?? Date.now();
