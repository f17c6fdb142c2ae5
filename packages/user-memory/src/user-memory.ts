/** A fact about a user, as every store returns it. */
export interface MemoryEntry {
  readonly id: string;
  readonly userId: string;
  readonly fact: string;
  readonly tags?: readonly string[];
  /** Confidence in [0, 1]; absent where nobody said any. */
  readonly score?: number;
  readonly createdAt: Date;
  readonly updatedAt?: Date;
}

/**
 * Facts about users that travel across conversations. Narrow on purpose, so that anything from a substring match to a
 * vector database satisfies it; the stores of this package keep more, see {@link UserMemoryStore}. What fails rejects.
 */
export interface UserMemory {
  /** Keeps a fact. */
  remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ): Promise<MemoryEntry>;
  /** The facts that fit the query, best first. `tags`: those with at least one of them. */
  recall(
    userId: string,
    query: string,
    opts?: { readonly limit?: number; readonly tags?: readonly string[] },
  ): Promise<MemoryEntry[]>;
  /** Deletes a fact; it is no error if there is none, or if it is another user's. */
  forget(userId: string, factId: string): Promise<void>;
  /** The user's facts. `tags`: those with at least one of them. */
  list(
    userId: string,
    opts?: { readonly tags?: readonly string[]; readonly limit?: number },
  ): Promise<MemoryEntry[]>;
  /** Deletes everything about the user. */
  forgetAll?(userId: string): Promise<void>;
}
