import type { MemoryProvider } from "@jaf/memory";
import type { Summarize } from "../context/summarize.ts";
import type { RunWindow } from "../window/window.ts";

/**
 * When what a run says becomes durable.
 *
 * - `"completed"`: once the run has succeeded or waits for somebody, in one write. A failed run stores nothing.
 * - `"turn"`: the incoming messages before the model is called, the rest once the run has succeeded or waits.
 * - `"step"`: the incoming messages, each reply with tool calls before its tools run, each result as soon as its tool
 *   is done, and the final reply. A run that crashed is resumed without running a finished tool again.
 *
 * In each of them, the result of a call that is stored already (a run resumes, or was interrupted) becomes durable as soon
 * as its tool is done.
 */
export type Durability = "completed" | "turn" | "step";

/** How many ends of conversations a process keeps of a provider, at most. */
export interface EndCacheOptions {
  /** Default 1,000. */
  readonly maxConversations?: number;
  /** About so many bytes altogether, and a sixteenth of that of one conversation. Default 33,554,432 (32 MiB). */
  readonly maxBytes?: number;
}

/** How a run uses its memory. */
export interface MemoryConfig {
  readonly provider: MemoryProvider;
  /**
   * Loads the conversation before the run and stores what is new; needs `RunConfig.conversationId`. Default `false`:
   * nothing is loaded and nothing is stored. A write that fails for a reason that may pass is made up to three times, or
   * as often as a `withRetry` around the provider says: then the engine adds no attempt of its own.
   *
   * If the conversation is erased while the run is under way, the run stores nothing more and ends with a
   * `MemoryConflictError` of reason `"incarnation"`. The same run again, by id and by what it was handed, is told how it
   * ended. Both need a provider that supports it, see `docs/turns.md`.
   */
  readonly autoStore?: boolean;
  /**
   * How many messages the stored conversation keeps; the oldest are dropped, whenever messages are appended. Default: the provider's limit. It isn't what
   * the model sees: that is `window`.
   */
  readonly maxMessages?: number;
  /** Seconds after the last write until the conversation expires. Default: the provider's. */
  readonly ttl?: number;
  /**
   * Which part of the history the model gets; also without `autoStore`. Neither the store nor `finalState` is changed by
   * it. Default: all of it. See `docs/context.md`.
   */
  readonly window?: RunWindow;
  /**
   * Once more than this many messages aren't summarised, the older ones become a running summary, which the model gets in
   * their place; about half as many are left as they are. The summary is kept in the conversation's metadata, beside the
   * whole history. Needs `autoStore`. Default: nothing is summarised.
   */
  readonly compressionThreshold?: number;
  /**
   * Makes the summary: of the one before, if there is one, and of what was said since. What it throws is told in the
   * `context` event, and the run goes on with the whole history. Default: the run's own model, in the agent's settings.
   */
  readonly summarize?: Summarize;
  /**
   * How long a run waits for the summary, the store's part included, in milliseconds; then it goes on without.
   * Default 30,000.
   */
  readonly summarizeTimeoutMs?: number;
  /** `true` (default) is durability `"completed"`, `false` is `"step"`. `durability` outranks it. */
  readonly storeOnCompletion?: boolean;
  /** Default: what `storeOnCompletion` says. */
  readonly durability?: Durability;
  /**
   * Who the run acts for. The conversation is stored as theirs, and one that belongs to somebody else is refused with
   * a `MemoryConflictError` of reason `"owner"` before anything of it is used. Default: no owner, no check.
   */
  readonly userId?: string;
  /**
   * What happens when another run, in whatever process, is in the middle of a turn of the same conversation. Turns never
   * interleave, either way.
   *
   * - `"reject"` (default): this run ends with a `MemoryConflictError`: of reason `"turn"` before the model is called, or,
   *   in durability `"completed"`, of reason `"version"` when it comes to store, if the other was faster; of reason
   *   `"incarnation"` if the other's turn has begun the conversation.
   * - `"queue"`: this run waits for its turn, at most `queueTimeoutMs`, and begins with what the other said. In durability
   *   `"completed"` a new conversation exists from then on, still without messages. Processes take turns, in no strict
   *   order. Runs of one conversation should have the same durability.
   */
  readonly concurrency?: "reject" | "queue";
  /** How long a run waits for its turn, in milliseconds; then it ends with the conflict. Default 60,000. */
  readonly queueTimeoutMs?: number;
  /**
   * For how long a turn counts as under way after its process last gave a sign of life, in milliseconds; a run that lives
   * gives three in that time. So a crash holds up the next run no longer than this. Default 15,000, at most a day. It is
   * measured by the clock of the store, so those of the processes needn't agree; only where a provider tells no time
   * (`ConversationReading.readAt`) should they, to within this: else a turn may fail with a conflict, but none is mixed up.
   */
  readonly turnLeaseMs?: number;
  /**
   * The process keeps the end of a conversation that it had the last turn of, for five minutes since it was read, and the next
   * run goes on from there if the store says that nothing has changed: the run's first write asks for that, or, in
   * durability `"completed"`, a look at the conversation without its messages. `false`: each run reads. See `docs/context.md`.
   */
  readonly endCache?: false | EndCacheOptions;
}

export const durabilityOf = ({ durability, storeOnCompletion = true }: MemoryConfig): Durability =>
  durability ?? (storeOnCompletion ? "completed" : "step");

export const DEFAULT_QUEUE_TIMEOUT_MS = 60_000;
export const DEFAULT_TURN_LEASE_MS = 15_000;
