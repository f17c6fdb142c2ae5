/** What a document says with one word, and how often or how weightily: whole numbers from 1. */
export interface TermWeight {
  readonly term: string;
  readonly weight: number;
}

/** Where a document was said. Documents without it have no neighbours. */
export interface MessageLocation {
  readonly conversationId: string;
  /** Index of the message in its conversation, from 0. */
  readonly position: number;
}

/** What an index keeps of a document beside its terms. */
export interface DocumentContext {
  /** Names the document among those of its user. Whole, from 1, in the order of being stored. */
  readonly seq: number;
  readonly location?: MessageLocation | undefined;
  /** Who said it, as a name or an id. */
  readonly author?: string | undefined;
  /** When it was said, in milliseconds since 1970. */
  readonly saidAt?: number | undefined;
  /** Whose side of a conversation it is, where that is known. */
  readonly role?: "user" | "assistant" | undefined;
}

/** A document that holds at least one of the terms that were asked for; `terms` are those, and no others. */
export interface MatchedDocument extends DocumentContext {
  readonly terms: readonly TermWeight[];
  /** How many different terms the index holds of it, whatever was asked for. Absent: it counts as one of usual length. */
  readonly length?: number | undefined;
}

/**
 * What an index answers: every document of the user with at least one of the terms, in any order. So the ranker knows in
 * how many documents a term stands, and ranks the same on every backend.
 */
export interface Matches {
  /** How many documents of the user the index holds. */
  readonly size: number;
  readonly documents: readonly MatchedDocument[];
  /**
   * In how many documents each word stands, said or asked with. Present where `documents` are only the best of those that
   * match; absent: they are all, and are counted.
   */
  readonly holders?: ReadonlyMap<string, number> | undefined;
}
