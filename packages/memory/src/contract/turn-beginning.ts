/** The arguments with which a turn begins. */
export interface NewTurn {
  readonly conversationId: string;
  readonly userId: string;
  /** The id of the turn. The caller chooses it, and it must be unique in the conversation. 1 to 255 UTF-16 units. */
  readonly turnId: string;
  /**
   * The data that a process needs to continue the turn, as text. `takeOver` returns it. The log erases `request` when
   * the turn ends.
   */
  readonly request: string;
  /**
   * How many seconds the lease lasts. At least 1; fractions are allowed. The lease begins with `begin` or `takeOver`.
   * Each `append` and `renew` of the writer extends the lease to this many seconds after that call.
   */
  readonly leaseSeconds: number;
  /**
   * How many seconds the log keeps a running turn after the last time its lease was renewed. A whole number, at least
   * 1.
   */
  readonly keepSeconds: number;
}

/**
 * The right of a process to append events to a turn. `begin` and `takeOver` return a new writer. After a `takeOver`,
 * only the new writer may append.
 */
export interface TurnWriter {
  readonly conversationId: string;
  readonly turnId: string;
  /** A random text. The log refuses a writer whose token isn't the token of the turn's latest writer. */
  readonly token: string;
}

/**
 * A turn that a write to its conversation begins: see `WriteOptions.beginsTurn`. Use a `TurnBeginning` only for one
 * write and for the repetitions of this write.
 */
export interface TurnBeginning {
  readonly turn: NewTurn;
  /** The writer of the turn. Only valid once the write has succeeded. */
  readonly writer: TurnWriter;
  /**
   * An object that stands for the storage of the log. Only the package that created the log (e.g. `@jaf/memory-redis`)
   * knows what the object contains.
   */
  readonly place: object;
}

/** A provider or backend whose writes can begin turns: see `WriteOptions.beginsTurn`. */
export interface TurnBeginner {
  /**
   * Returns whether a write can begin this turn. Two conditions must hold: the turn log and the conversations use the
   * same client, and the store can write to both in one atomic write. A provider of JAF returns `false` for a copy of
   * itself (`{ ...provider, appendMessages }`), whose writes may drop the turn.
   */
  readonly canBegin: (beginning: TurnBeginning) => boolean;
}

/** Whether a write of the provider can begin this turn. `false` if the provider isn't a {@link TurnBeginner}. */
export const canBegin = (provider: object, beginning: TurnBeginning): boolean =>
  "canBegin" in provider &&
  typeof provider.canBegin === "function" &&
  (provider as TurnBeginner).canBegin(beginning);
