import type { MemoryEntry } from "./user-memory.ts";

/**
 * Where a fact comes from, most trusted first: the user stated it, the user confirmed it when asked, a model inferred it from
 * the user's words, or a tool, page or document stated it.
 */
export type Trust = "stated" | "confirmed" | "inferred" | "external";

/** Only active facts are recalled. A superseded fact is history. A quarantined fact waits for review. */
export type FactStatus = "active" | "quarantined" | "superseded";

/** Why a fact waits for review. */
export type QuarantineReason =
  /** It comes from a tool, a page or a document. */
  | "external"
  /** It contradicts a statement of the user, see `conflictsWith`. */
  | "conflict"
  /** Too many facts were extracted from one conversation in a short time. */
  | "rate"
  /** It contains a link and isn't a statement of the user. */
  | "link";

/** The source of a fact. Any field may be unknown. */
export interface Provenance {
  /** The id of the conversation. */
  readonly conversationId?: string | undefined;
  /** Position of the message in its conversation, from 0. Facts of neighbouring messages are context for each other. */
  readonly position?: number | undefined;
  /** The message's own id. */
  readonly messageId?: string | undefined;
  /** Name or id of the author. Queries that name the author rank this fact higher. */
  readonly author?: string | undefined;
  /** The program or model that extracted the fact. */
  readonly extractor?: string | undefined;
  /** The words that the fact was extracted from. Recall searches them, too. */
  readonly evidence?: string | undefined;
  /** When it was said. */
  readonly saidAt?: Date | undefined;
}

/** Marks a fact as a quotation: whole sentences of a message by the user, found by code. */
export interface Quotation {
  /**
   * `"message"`: the words are from a short message of one paragraph. `"text"`: they are from a longer text of several lines
   * or messages. The user may have pasted it, so it isn't presented as the user's opinion.
   */
  readonly from: "message" | "text";
  /** The assistant's question that the words answer, if they say little without it. */
  readonly question?: string;
}

/** A fact as the stores of this package return it. */
export interface UserFact extends MemoryEntry {
  /** Where the fact comes from. It decides which facts can replace this one. */
  readonly trust: Trust;
  /** Whether the fact is recalled, is history, or waits for review. */
  readonly status: FactStatus;
  /** The conversation, message and author of the fact, if known. */
  readonly provenance: Provenance;
  /** The topic, e.g. `"home-city"`. Of all facts with the same key, the newest is current. */
  readonly key?: string;
  /** The time from which the fact holds. */
  readonly validFrom: Date;
  /** The time until which the fact holds, if known. A superseded fact ends at `supersededAt` at the latest. */
  readonly validUntil?: Date;
  /** Id of the fact that replaced this one. */
  readonly supersededBy?: string;
  /** The time from which the fact that replaced this one holds. */
  readonly supersededAt?: Date;
  /** Id of the user's fact that this quarantined fact contradicts. */
  readonly conflictsWith?: string;
  /** Why the fact waits for review. Present if `status` is `"quarantined"`. */
  readonly quarantine?: QuarantineReason;
  /** Present if `fact` is a quotation of the user, not a model's wording. */
  readonly quotation?: Quotation;
}
