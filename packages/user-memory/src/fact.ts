import type { MemoryEntry } from "./user-memory.ts";

/**
 * Where a fact comes from, most trusted first. `"stated"`: the user stated the fact. `"confirmed"`: the user confirmed the
 * fact when asked. `"inferred"`: a model inferred the fact from the user's words. `"external"`: the fact is from a tool, a
 * page or a document.
 */
export type Trust = "stated" | "confirmed" | "inferred" | "external";

/**
 * `"active"`: the fact is recalled. `"superseded"`: a newer fact replaced the fact, which remains as history. `"quarantined"`:
 * the fact waits for review and isn't recalled.
 */
export type FactStatus = "active" | "quarantined" | "superseded";

/** Why a fact waits for review. */
export type QuarantineReason =
  /** The fact comes from a tool, a page or a document. */
  | "external"
  /** The fact contradicts a statement of the user. The fact's `conflictsWith` is the id of that statement. */
  | "conflict"
  /** Too many facts were extracted from one conversation in a short time. */
  | "rate"
  /** The fact contains a link, and it isn't a statement of the user. */
  | "link";

/** The source of a fact. Fields that are unknown are absent. */
export interface Provenance {
  /** The id of the conversation. */
  readonly conversationId?: string | undefined;
  /**
   * Position of the fact's message in its conversation, from 0. Recall ranks a fact higher if facts from neighbouring messages
   * also match the query.
   */
  readonly position?: number | undefined;
  /** The id of the message that the fact comes from. */
  readonly messageId?: string | undefined;
  /** Name or id of the author of the fact's message. A query that names the author ranks this fact higher. */
  readonly author?: string | undefined;
  /** The program or model that extracted the fact. */
  readonly extractor?: string | undefined;
  /** The words of a message that the fact was extracted from. Recall searches these words, too. */
  readonly evidence?: string | undefined;
  /** When the fact was said. */
  readonly saidAt?: Date | undefined;
}

/**
 * Marks a fact as a quotation: its text is whole sentences of a user's message. Code copied them, so no model changed
 * their words.
 */
export interface Quotation {
  /**
   * `"message"`: the words are from a short message of one paragraph. `"text"`: the words are from a longer text, or
   * from one of several messages. The user may have pasted a longer text. So prompts present words from a longer text
   * as sent by the user, not as said by the user.
   */
  readonly from: "message" | "text";
  /** The assistant's question that the quoted words answer. Present if the words say little without the question. */
  readonly question?: string;
}

/** A fact as the stores of this package return it. */
export interface UserFact extends MemoryEntry {
  /** Where the fact comes from. A fact with less trust can't replace this fact. `"stated"` and `"confirmed"` count as equal. */
  readonly trust: Trust;
  /**
   * `"active"`: the fact is recalled. `"superseded"`: a newer fact replaced the fact. `"quarantined"`: the fact waits for
   * review.
   */
  readonly status: FactStatus;
  /** The conversation, message and author of the fact, if known. */
  readonly provenance: Provenance;
  /** The topic of the fact, e.g. `"home-city"`. A newer fact with the same key replaces this fact. */
  readonly key?: string;
  /** The fact is true from this time on. */
  readonly validFrom: Date;
  /** The fact is true until this time, if an end is known. A superseded fact ends at `supersededAt` at the latest. */
  readonly validUntil?: Date;
  /** Id of the fact that replaced this one. */
  readonly supersededBy?: string;
  /** From this time on, the fact that replaced this one is true instead. */
  readonly supersededAt?: Date;
  /** Id of the user's fact that this quarantined fact contradicts. */
  readonly conflictsWith?: string;
  /** Why the fact waits for review. Present if `status` is `"quarantined"`. */
  readonly quarantine?: QuarantineReason;
  /** Present if `fact` is a quotation of the user, not a model's wording. */
  readonly quotation?: Quotation;
}
