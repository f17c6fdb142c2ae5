import type { MemoryEntry } from "./user-memory.ts";

/**
 * Whose word a fact is, from the most trusted to the least: the user said it; the user was asked and agreed; a model
 * concluded it from what the user said; a tool, a page or a document said it.
 */
export type Trust = "stated" | "confirmed" | "inferred" | "external";

/** Only active facts are recalled. A superseded one is history; a quarantined one waits for somebody's decision. */
export type FactStatus = "active" | "quarantined" | "superseded";

/** Why a fact waits for somebody's decision. */
export type QuarantineReason =
  /** A tool, a page or a document said it. */
  | "external"
  /** It contradicts what the user said; see `conflictsWith`. */
  | "conflict"
  /** Too many facts were extracted from one conversation in a short time. */
  | "rate"
  /** It holds an address and isn't the user's word. */
  | "link";

/** Where a fact comes from. Every field may be unknown. */
export interface Provenance {
  readonly conversationId?: string | undefined;
  /** Index of the message in its conversation, from 0. Facts of neighbouring messages are context to each other. */
  readonly position?: number | undefined;
  /** The message's own id, where it has one. */
  readonly messageId?: string | undefined;
  /** Who said it, as a name or an id. A query that names them prefers it. */
  readonly author?: string | undefined;
  /** The program or model that extracted the fact. */
  readonly extractor?: string | undefined;
  /** The words it was extracted from. They are searched, too. */
  readonly evidence?: string | undefined;
  /** When it was said. */
  readonly saidAt?: Date | undefined;
}

/** That a fact is the user's own words, as they stand in a message: whole sentences, found by code. */
export interface Quotation {
  /**
   * `"message"`: the words are from a short message of one paragraph. `"text"`: from something longer, of several lines or
   * messages, which the user may have pasted: it isn't claimed to be the user's opinion.
   */
  readonly from: "message" | "text";
  /** The assistant's question that the words answer, where they alone say little. */
  readonly question?: string;
}

/** A fact as the stores of this package keep it. */
export interface UserFact extends MemoryEntry {
  readonly trust: Trust;
  readonly status: FactStatus;
  readonly provenance: Provenance;
  /** What the fact is about, e.g. `"home-city"`: of all facts with one key, the newest counts. */
  readonly key?: string;
  /** From when it holds. */
  readonly validFrom: Date;
  /** Until when it holds, as far as it is known. A superseded fact holds until `supersededAt`, too. */
  readonly validUntil?: Date;
  /** The fact that took its place. */
  readonly supersededBy?: string;
  readonly supersededAt?: Date;
  /** The fact of the user's that a quarantined one contradicts. */
  readonly conflictsWith?: string;
  readonly quarantine?: QuarantineReason;
  /** Present: `fact` is the user's own words, and not a sentence of a model's about them. */
  readonly quotation?: Quotation;
}
