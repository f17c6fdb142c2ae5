import type { MemoryProvider } from "@jaf/memory";
import type { Summarize } from "../context/summarize-function.ts";
import type { RunWindow } from "../window/run-window.ts";

/**
 * When a run stores its messages.
 *
 * - `"completed"`: in one write, once the run has completed or is interrupted. A failed run stores nothing.
 * - `"turn"`: the new messages before the model is called, the rest once the run has completed or is interrupted.
 * - `"step"`: the new messages, each reply with tool calls before its tools run, each result as soon as its tool is done, and
 *   the final reply. A run that crashed is resumed without running a finished tool again.
 *
 * In each mode, the result of a call that is stored already (the run resumes) is stored as soon as its tool is done.
 */
export type Durability = "completed" | "turn" | "step";

/** See `MemoryConfig.summary`. */
export interface SummaryConfig {
  /**
   * Makes the summary, of the previous one, if there is one, and the messages since. If it throws, the `context` event says so, and
   * the run goes on with the whole history. Default: the run's own model, with the agent's settings.
   */
  readonly summarize?: Summarize;
  /**
   * How long a run waits for the summary to be made and stored, in milliseconds; then it goes on without it. Default 30,000.
   */
  readonly timeoutMs?: number;
}

/** How a run uses its memory. */
export interface MemoryConfig {
  readonly provider: MemoryProvider;
  /**
   * Loads the conversation before the run and stores new messages; needs `RunConfig.conversationId`. Default `false`: nothing is
   * loaded or stored. A write that fails with a transient error is tried up to three times, or as often as a `withRetry` around
   * the provider says: then the engine makes no attempts of its own.
   *
   * If the conversation is erased during the run, the run stores nothing more and ends with a `MemoryConflictError` of reason
   * `"incarnation"`. The same run again, with the same id and input, returns the outcome that it had. Both need a provider that
   * supports it, see `docs/turns.md`.
   */
  readonly autoStore?: boolean;
  /**
   * How many messages the store keeps of the conversation; with each append, older ones are dropped. Default: the provider's
   * limit. What the model sees is set by `window`.
   */
  readonly maxMessages?: number;
  /** Seconds after the last write until the conversation expires. Default: the provider's. */
  readonly ttl?: number;
  /**
   * Which part of the history the model gets; also without `autoStore`. It changes neither the store nor `finalState`. Default:
   * the whole history. See `docs/context.md`.
   */
  readonly window?: RunWindow;
  /**
   * Once more than this many messages aren't summarised, the older ones are summarised, and the model gets the running summary in
   * their place; about half as many messages stay. The summary is stored in the conversation's metadata, and the whole history
   * stays stored. Needs `autoStore`. Default: nothing is summarised.
   */
  readonly compressionThreshold?: number;
  /** How the summary is made. */
  readonly summary?: SummaryConfig;
  /** `true` (default) means durability `"completed"`, `false` means `"step"`. `durability` takes precedence. */
  readonly storeOnCompletion?: boolean;
  /** Default: what `storeOnCompletion` says. */
  readonly durability?: Durability;
  /**
   * The id of the user that the run acts for. A new conversation is stored as theirs, and one that belongs to another user is
   * refused with a `MemoryConflictError` of reason `"owner"` before it is used. Default: no owner, no check.
   */
  readonly userId?: string;
  /**
   * What happens when another run, in any process, has the turn of the same conversation. Turns never interleave, either way.
   *
   * - `"reject"` (default): this run ends with a `MemoryConflictError`: of reason `"turn"` before the model is called, or,
   *   in durability `"completed"`, of reason `"version"` when it stores its messages, if the other run was faster; of reason
   *   `"incarnation"` if the other run has created the conversation.
   * - `"queue"`: this run waits for its turn, at most `queueTimeoutMs`, and continues from the other run's messages. In durability
   *   `"completed"` a new conversation is created without messages when its first run begins. Processes take turns, in no strict
   *   order. Runs of one conversation should have the same durability.
   */
  readonly concurrency?: "reject" | "queue";
  /** How long a run waits for its turn, in milliseconds; then it ends with the conflict. Default 60,000. */
  readonly queueTimeoutMs?: number;
  /**
   * The length of a turn's lease, in milliseconds: after a crash, the next run waits this long at most. A run renews its lease by a
   * heartbeat three times in this time. Default 15,000, at most a day. It is measured by the store's clock, so the clocks of the
   * processes needn't agree. Only if a provider tells no time (`ConversationReading.readAt`) should they agree to within this
   * time: otherwise a turn may fail with a conflict, but turns never interleave.
   */
  readonly turnLeaseMs?: number;
}

export const durabilityOf = ({ durability, storeOnCompletion = true }: MemoryConfig): Durability =>
  durability ?? (storeOnCompletion ? "completed" : "step");

export const DEFAULT_QUEUE_TIMEOUT_MS = 60_000;
export const DEFAULT_TURN_LEASE_MS = 15_000;
