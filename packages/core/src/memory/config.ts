import type { MemoryProvider } from "@jaf/memory";

/**
 * When what a run says becomes durable.
 *
 * - `"completed"`: once the run has succeeded, in one write. A failed run stores nothing.
 * - `"turn"`: the incoming messages before the model is called, the rest once the run has succeeded.
 * - `"step"`: the incoming messages, each reply with tool calls before its tools run, each result as soon as its tool
 *   is done, and the final reply. A run that crashed is resumed without running a finished tool again.
 */
export type Durability = "completed" | "turn" | "step";

/** How a run uses its memory. */
export interface MemoryConfig {
  readonly provider: MemoryProvider;
  /**
   * Loads the conversation before the run and stores what is new; needs `RunConfig.conversationId`. Default `false`:
   * nothing is loaded and nothing is stored. A write that fails for a reason that may pass is made up to three times.
   */
  readonly autoStore?: boolean;
  /** How many messages the stored conversation keeps; the oldest are dropped. Default: the provider's limit. */
  readonly maxMessages?: number;
  /** Seconds after the last write until the conversation expires. Default: the provider's. */
  readonly ttl?: number;
  /** Compress conversations longer than this many messages. Has no effect yet. */
  readonly compressionThreshold?: number;
  /** `true` (default) is durability `"completed"`, `false` is `"step"`. `durability` outranks it. */
  readonly storeOnCompletion?: boolean;
  /** Default: what `storeOnCompletion` says. */
  readonly durability?: Durability;
  /**
   * Who the run acts for. The conversation is stored as theirs, and one that belongs to somebody else is refused with
   * a `MemoryConflictError` of reason `"owner"` before anything of it is used. Default: no owner, no check.
   */
  readonly userId?: string;
}

export const durabilityOf = ({ durability, storeOnCompletion = true }: MemoryConfig): Durability =>
  durability ?? (storeOnCompletion ? "completed" : "step");
