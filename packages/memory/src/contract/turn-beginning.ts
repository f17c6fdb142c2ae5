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
   * How many seconds the lease lasts. Each `begin`, `append`, `renew` and `takeOver` renews it. At least 1; fractions
   * are allowed.
   */
  readonly leaseSeconds: number;
  /**
   * How many seconds the log keeps a running turn after the last time its lease was renewed. A whole number, at least
   * 1.
   */
  readonly keepSeconds: number;
}

/**
 * The proof that a process may append events to a turn. `begin` and `takeOver` return a new writer. After a `takeOver`,
 * only the new writer may append.
 */
export interface TurnWriter {
  readonly conversationId: string;
  readonly turnId: string;
  /** A random text. The log refuses a writer whose token isn't the token of the turn's latest writer. */
  readonly token: string;
}

/**
 * A turn that a write to its conversation begins: see `WriteOptions.beginsTurn`. Use a `TurnBeginning` for one write and
 * for the repetitions of this write.
 */
export interface TurnBeginning {
  readonly turn: NewTurn;
  /** The writer of the turn. Only valid once the write has succeeded. */
  readonly writer: TurnWriter;
  /** The storage of the log. Only the providers of the package that created the log know what the object is. */
  readonly place: object;
}

/** A provider or backend whose writes can begin turns: see `WriteOptions.beginsTurn`. */
export interface TurnBeginner {
  /**
   * Returns whether a write can begin this turn: the log and the conversations must use the same client, and the store must
   * reach both in one step.
   */
  readonly canBegin: (beginning: TurnBeginning) => boolean;
}

/** Checks whether a write of the provider can begin this turn. Wrappers of providers pass the question on. */
export const canBegin = (provider: object, beginning: TurnBeginning): boolean =>
  "canBegin" in provider &&
  typeof provider.canBegin === "function" &&
  (provider as TurnBeginner).canBegin(beginning);
