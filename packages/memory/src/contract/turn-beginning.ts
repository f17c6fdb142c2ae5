/** A turn to begin. */
export interface NewTurn {
  readonly conversationId: string;
  readonly userId: string;
  /** Chosen by the caller, unique in the conversation. 1 to 255 UTF-16 units, like every id. */
  readonly turnId: string;
  /** The data that `takeOver` needs to continue the turn. It is erased when the turn ends. */
  readonly request: string;
  /**
   * How long the writer holds the lease after each `begin`, `append` and `renew`. At least 1; fractions are allowed.
   */
  readonly leaseSeconds: number;
  /** How long a turn is kept if no writer continues it. A whole number, at least 1. */
  readonly keepSeconds: number;
}

/**
 * The holder of the turn's lease: the writer that `begin` or `takeOver` returned last for the turn. Only it may append.
 */
export interface TurnWriter {
  readonly conversationId: string;
  readonly turnId: string;
  /** Random. */
  readonly token: string;
}

/**
 * A turn that a write to its conversation begins: see `WriteOptions.beginsTurn`. Use it for one write and its repetitions.
 */
export interface TurnBeginning {
  readonly turn: NewTurn;
  /** The writer of the turn once the write has succeeded. */
  readonly writer: TurnWriter;
  /** The storage of the log. Only providers of the same package know what it is. */
  readonly place: object;
}

/** A provider or backend whose writes can begin turns: see `WriteOptions.beginsTurn`. */
export interface TurnBeginner {
  /** Returns whether log and conversations use the same client and are reached in one step. */
  readonly canBegin: (beginning: TurnBeginning) => boolean;
}

/** Returns whether a write of the provider can begin this turn. Wrappers pass this on. */
export const canBegin = (provider: object, beginning: TurnBeginning): boolean =>
  "canBegin" in provider &&
  typeof provider.canBegin === "function" &&
  (provider as TurnBeginner).canBegin(beginning);
