import type { RunUserMemory } from "@jaf/core";
import type { AuditEntry, AuditReport } from "./audit.ts";
import type { FactStatus, Provenance, QuarantineReason, Quotation, Trust, UserFact } from "./fact.ts";
import { hasMethod, type UserMemory } from "./user-memory.ts";

/**
 * A {@link UserMemory} with provenance, trust, history and review, as the stores of this package implement it. Another user's
 * fact always looks like one that doesn't exist. Methods reject with `UserMemoryError`.
 *
 * - Each write is atomic, on every backend and with any number of processes.
 * - Facts that differ only in case, spaces and punctuation are one fact. It keeps the higher trust.
 * - A fact replaces another only if its trust is at least as high. Stated and confirmed count the same. Otherwise the new fact
 *   is quarantined as a conflict.
 * - A forgotten fact is deleted from facts, index, vectors and audit. A keyed hash remains, so the fact isn't extracted
 *   again from older messages.
 */
export interface UserMemoryStore extends UserMemory, RunUserMemory {
  /** Returns the stored fact. It may be quarantined, see `status`. */
  remember(userId: string, fact: string, opts?: RememberOptions): Promise<UserFact>;
  /** Returns active facts that share a word with the query, best first. With `embed`, also facts of similar meaning. */
  recall(userId: string, query: string, opts?: RecallOptions): Promise<UserFact[]>;
  /** Returns the user's facts, newest first. */
  list(userId: string, opts?: ListOptions): Promise<UserFact[]>;
  /** Returns a fact, or `null` if the user has no such fact. */
  get(userId: string, factId: string): Promise<UserFact | null>;
  /** Changes a fact and returns it, or `null` if the user has no such fact. */
  update(userId: string, factId: string, changes: FactChanges): Promise<UserFact | null>;
  /** Deletes a fact for good. Facts that it superseded become active again. */
  forget(userId: string, factId: string): Promise<ForgetReceipt>;
  /**
   * Deletes everything about the user: facts, index, vectors, audit and extraction jobs. Writes that have begun already are
   * refused. The remaining row contains no user id and no text.
   */
  forgetAll(userId: string): Promise<ForgetReceipt>;
  /** The facts that wait for review. */
  readonly review: FactReview;
  /** Explains why a query finds a fact and where the fact comes from. `null` if the user has no such fact. */
  explain(userId: string, factId: string, query?: string): Promise<FactExplanation | null>;
  /** Returns the changes of the user's facts, oldest first, without text. */
  audit(userId: string): Promise<AuditEntry[]>;
  /** Checks that the audit trail is complete and that every fact is as the trail recorded it. */
  verifyAudit(userId: string): Promise<AuditReport>;
  /** Returns a mark. Take it before you read a conversation: a write with `since` is refused if `forgetAll` ran after it. */
  mark(userId: string): Promise<ErasureMark>;
  /** The extraction jobs. */
  readonly queue: ExtractionQueue;
  /** Waits until the extractions of this process are stored, at most `timeoutMs` milliseconds. Never rejects. */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** Drains, then closes the connections that the store itself opened. */
  close(): Promise<void>;
}

/** Whether a user memory has trust, provenance and a queue, like the stores of this package. */
export const isStore = (memory: UserMemory): memory is UserMemoryStore =>
  hasMethod(memory, "mark") && "queue" in memory && typeof memory.queue === "object";

/** Options of `remember`. */
export interface RememberOptions {
  /** Labels, e.g. to recall only some facts. Upper and lower case differ. */
  readonly tags?: readonly string[] | undefined;
  /** Confidence in [0, 1]. It never outranks trust. */
  readonly score?: number | undefined;
  /**
   * Whose word the fact is. Default `"stated"`: your application vouches that the user said so. A quotation has `"inferred"`. `"external"` facts
   * wait for review.
   */
  readonly trust?: Trust | undefined;
  /** The topic. The fact replaces the current fact with this key. */
  readonly key?: string | undefined;
  /** The source of the fact. */
  readonly provenance?: Provenance | undefined;
  /** The time from which the fact holds. Default: now. Dates more than 150 years in the past or 50 in the future are ignored. */
  readonly validFrom?: Date | undefined;
  /** The time until which the fact holds. Default: no end. Dates outside the same range, or before `validFrom`, are ignored. */
  readonly validUntil?: Date | undefined;
  /** Quarantines the fact for this reason. Default: the rules decide. */
  readonly quarantine?: QuarantineReason | undefined;
  /**
   * Stores the fact as a quotation of the user, with trust `"inferred"`. Prompts show it in quotation marks with its date. A
   * quotation never replaces a stated fact. `paraphrases` are searched but never shown.
   */
  readonly quotation?: (Quotation & { readonly paraphrases?: readonly string[] | undefined }) | undefined;
  /** Refuses the write if the user's memory was erased after this mark. See {@link UserMemoryStore.mark}. */
  readonly since?: ErasureMark | undefined;
}

/** Options of `recall`. */
export interface RecallOptions {
  /** Maximum number of facts. Default 10, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only facts with at least one of these tags. An empty list finds nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Facts that held at this time, including superseded ones. Default: now. */
  readonly asOf?: Date | undefined;
  /** Excludes facts with less trust. Default `"inferred"`. */
  readonly minTrust?: Trust | undefined;
}

/** Options of `list`. */
export interface ListOptions {
  /** Only facts with at least one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Maximum number of facts. Default: all. */
  readonly limit?: number | undefined;
  /** Only facts with this status, or one of these. Default `"active"`. */
  readonly status?: FactStatus | readonly FactStatus[] | undefined;
}

/**
 * The fields of a fact that you can change. `null` removes a value. A changed `fact` counts as a new statement of the user.
 */
export interface FactChanges {
  /** The new text. */
  readonly fact?: string | undefined;
  /** The new tags. They replace the old ones. */
  readonly tags?: readonly string[] | undefined;
  /** The new confidence in [0, 1]. */
  readonly score?: number | null | undefined;
  /** The time until which the fact holds. */
  readonly validUntil?: Date | null | undefined;
}

/** The facts that wait for review. */
export interface FactReview {
  /** Returns the waiting facts, newest first. */
  list(userId: string, opts?: Pick<ListOptions, "tags" | "limit">): Promise<UserFact[]>;
  /** Makes the fact active and `confirmed`. It replaces the fact that it contradicts. `null` if no such fact waits. */
  approve(userId: string, factId: string): Promise<UserFact | null>;
  /** Forgets the fact for good. `false` if no such fact waits. */
  reject(userId: string, factId: string): Promise<boolean>;
}

/** Identifies a user's memory between two calls of `forgetAll`. A write with an older mark is refused. */
export type ErasureMark = number & { readonly __brand: "ErasureMark" };

/** Counts of the deleted data, without text and user id. */
export interface ForgetDetails {
  /** A random id, for your records. */
  readonly receiptId: string;
  /** The time of the deletion. */
  readonly at: Date;
  /** Number of deleted facts of any status. `0` if there was no such fact. */
  readonly facts: number;
  /** Number of deleted vectors. */
  readonly vectors: number;
  /** Number of deleted extraction jobs. */
  readonly jobs: number;
  /** Number of older facts that are active again, because the fact that superseded them is deleted. */
  readonly revived: number;
}

/**
 * The receipt of a deletion: counts of the deleted data. It is also a `void`, so a store with receipts is assignable to
 * `UserMemory`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: the specification has these methods resolve with nothing
export type ForgetReceipt = ForgetDetails & void;

/** One part of a fact's score for a query. */
export interface RecallReason {
  /** The kind of match. */
  readonly kind: /** The fact or its evidence contains words of the query. */
    | "terms"
    /** Neighbouring messages match. */
    | "neighbours"
    /** The fact's conversation matches. */
    | "conversation"
    /** The query names the author. */
    | "author"
    /** The query names the time of the fact, or asks for a time. */
    | "date"
    /** The meaning is close to the query's, by `embed`. */
    | "meaning";
  /** The part of the score. For `"meaning"`, the cosine similarity. */
  readonly score: number;
  /** For `"terms"`: the words, stemmed. */
  readonly terms?: readonly string[];
}

/** Why a fact is recalled, and where it comes from. */
export interface FactExplanation {
  /** The fact, with its provenance. */
  readonly fact: UserFact;
  /** From 1, among all facts that the query finds. `null` if the query doesn't find the fact, or without a query. */
  readonly rank: number | null;
  /** Empty if `rank` is `null`. */
  readonly reasons: readonly RecallReason[];
  /** Whether the fact can be recalled at all. */
  readonly recallable: boolean;
  /** Why the fact can't be recalled. */
  readonly obstacle?: "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";
  /** The facts that this one superseded, newest first. */
  readonly supersedes: readonly UserFact[];
}

/** A job that extracts the facts of one turn. */
export interface ExtractionJob {
  /** The same for the same turn, so the queue never has two jobs for a turn. */
  readonly id: string;
  /** The id of the user. */
  readonly userId: string;
  /** The user's messages, oldest first. */
  readonly said: readonly string[];
  /** The reply: context, never a source of facts. */
  readonly reply: string;
  /** The assistant's last question before the turn. */
  readonly question?: string | undefined;
  /** Whether the user's previous message announced third-party text. */
  readonly isAnnounced?: boolean | undefined;
  /** Quotes all that the user said, without a model. */
  readonly isVerbatim?: boolean | undefined;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Position of the first message of `said` in its conversation, from 0. */
  readonly position?: number | undefined;
  /** When the turn began. */
  readonly saidAt: Date;
  /** The tags of all facts from this turn. */
  readonly tags: readonly string[];
  /** The model that extracts. Default: the agent's. */
  readonly model?: string | undefined;
  /** Facts with a lower score are dropped. */
  readonly threshold: number;
  /** The mark from the start of the turn. */
  readonly since: ErasureMark;
}

/** A job that one worker holds until its lease expires. */
export interface LeasedJob {
  /** The turn to extract facts from. */
  readonly job: ExtractionJob;
  /** Number of times that the job was leased, from 1. */
  readonly attempt: number;
  /** Deletes the job when it is done. */
  readonly complete: () => Promise<void>;
  /**
   * Makes the job available again after `delayMs`. A worker that continues the job calls it to renew the lease. `delayMs` is
   * in whole milliseconds, at most 30 days.
   */
  readonly release: (delayMs: number) => Promise<void>;
}

/**
 * A queue of extraction jobs. If it is `durable`, jobs survive a crash of the process and another process takes them over.
 * Each job is delivered at least once. Facts that are extracted twice are stored once.
 */
export interface ExtractionQueue {
  /** Whether jobs survive the end of the process. */
  readonly durable: boolean;
  /**
   * Adds a job, without sentences that contain secrets, and leases it to the caller. Returns `null` if the job is in the queue
   * already, if the user asks in it not to keep something, or if the user's memory was erased since the turn began. `leaseMs`
   * is in whole milliseconds, at most 30 days.
   */
  enqueue(job: ExtractionJob, options: { readonly leaseMs: number }): Promise<LeasedJob | null>;
  /** Leases up to `limit` available jobs of any user, oldest first, for `leaseMs` milliseconds. */
  lease(options: { readonly limit: number; readonly leaseMs: number }): Promise<LeasedJob[]>;
  /** Returns the number of jobs, leased or not. */
  size(): Promise<number>;
}
