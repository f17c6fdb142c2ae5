import type { MemoryEntry } from "./user-memory.ts";

/**
 * Where a fact comes from, most trusted first:
 * - `"stated"`: the user stated the fact.
 * - `"confirmed"`: the user confirmed the fact when asked.
 * - `"inferred"`: a model inferred the fact from the user's words.
 * - `"external"`: the fact is from a tool, a page or a document.
 */
export type Trust = "stated" | "confirmed" | "inferred" | "external";

/**
 * Whether a fact is in use:
 * - `"active"`: the fact is recalled.
 * - `"superseded"`: a newer fact replaced the fact. The older fact remains stored as history.
 * - `"quarantined"`: the fact waits for review and isn't recalled.
 */
export type FactStatus = "active" | "quarantined" | "superseded";

/** Why a fact waits for review. */
export type QuarantineReason =
  /** The fact comes from a tool, a page or a document. */
  | "external"
  /**
   * The fact contradicts a fact that the user stated or confirmed. `UserFact.conflictsWith` is the id of the
   * contradicted fact.
   */
  | "conflict"
  /** More facts were inferred from one conversation than `UserMemoryLimits.maxExtractedPerConversation` allows. */
  | "rate"
  /** The fact contains a link, and the user neither stated nor confirmed the fact. */
  | "link";

/** The source of a fact. Fields that are unknown are absent. */
export interface Provenance {
  /** The id of the conversation. */
  readonly conversationId?: string | undefined;
  /**
   * Position of the fact's message in its conversation, from 0. Recall ranks a fact higher if facts from neighbouring
   * messages match the query.
   */
  readonly position?: number | undefined;
  /** The id of the message that the fact comes from. */
  readonly messageId?: string | undefined;
  /** Name or id of the author of the fact's message. A query that names the author ranks this fact higher. */
  readonly author?: string | undefined;
  /** The program or model that extracted the fact. */
  readonly extractor?: string | undefined;
  /** The words of a message that the fact was extracted from. Recall searches these words. */
  readonly evidence?: string | undefined;
  /** When the fact was said. */
  readonly saidAt?: Date | undefined;
}

/**
 * Marks a fact as a quotation: the text of the fact is whole sentences of a user's message. The sentences were copied
 * by code, so no model changed a word.
 */
export interface Quotation {
  /**
   * Which kind of text the quoted words are from:
   * - `"message"`: a short message of one paragraph, the user's only message in the turn. Prompts show
   *   `The user said: "…"`.
   * - `"text"`: a longer text, or one of several messages. The user may have pasted a longer text from elsewhere. So
   *   prompts show `In a text that the user sent: "…"`.
   */
  readonly from: "message" | "text";
  /**
   * The assistant's question that the quoted words answer. Present if the answer is so short (e.g. "yes") that it says
   * little without the question.
   */
  readonly question?: string;
}

/** A fact as the stores of this package return it. */
export interface UserFact extends MemoryEntry {
  /** Where the fact comes from. A fact with less trust can't replace this fact. */
  readonly trust: Trust;
  /**
   * `"active"`: the fact is recalled. `"superseded"`: a newer fact replaced the fact. `"quarantined"`: the fact waits
   * for review.
   */
  readonly status: FactStatus;
  /** The conversation, message and author of the fact, if known. */
  readonly provenance: Provenance;
  /** The topic of the fact, e.g. `"home-city"`. A newer fact with this key replaces this fact. */
  readonly key?: string;
  /** The fact is true from this time on. */
  readonly validFrom: Date;
  /** The fact is true until this time, if an end is known. A superseded fact ends at `supersededAt` at the latest. */
  readonly validUntil?: Date;
  /** Id of the fact that replaced this one. Absent: no fact replaced this one. */
  readonly supersededBy?: string;
  /** When the fact that replaced this one began to be true. Absent: no fact replaced this one. */
  readonly supersededAt?: Date;
  /** Id of the stored fact that this quarantined fact contradicts. Absent: it contradicts no fact. */
  readonly conflictsWith?: string;
  /** Why the fact waits for review. Present if `status` is `"quarantined"`. */
  readonly quarantine?: QuarantineReason;
  /** Present if the text of the fact quotes the user. Absent if your application or a model worded the text. */
  readonly quotation?: Quotation;
}
