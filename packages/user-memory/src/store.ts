import type { RunUserMemory } from "@jaf/core";
import type { AuditEntry, AuditReport } from "./audit.ts";
import type { FactStatus, Provenance, QuarantineReason, Quotation, Trust, UserFact } from "./fact.ts";
import { hasMethod, type UserMemory } from "./user-memory.ts";

/**
 * A {@link UserMemory} with provenance, trust, history and review: what the stores of this package are. Another user's
 * fact is nowhere distinguishable from one that doesn't exist. Methods reject with `UserMemoryError`.
 *
 * - Each write is atomic, on every backend and from any number of processes.
 * - What is remembered again, but for case, spaces and punctuation, is one fact; it keeps the higher trust.
 * - A fact takes the place of another only if it is trusted no less, the user's own word counting the same whether stated
 *   or confirmed. Else it is quarantined as a conflict.
 * - A forgotten fact is gone from facts, index, vectors and audit; what remains is a keyed hash, so that it isn't
 *   extracted again from what was said before.
 */
export interface UserMemoryStore extends UserMemory, RunUserMemory {
  /** Resolves with the fact as it is stored now; it may be quarantined, see `status`. */
  remember(userId: string, fact: string, opts?: RememberOptions): Promise<UserFact>;
  /** Active facts that share a word with the query, the best first; with `embed`, also those that mean the like. */
  recall(userId: string, query: string, opts?: RecallOptions): Promise<UserFact[]>;
  /** Newest first. */
  list(userId: string, opts?: ListOptions): Promise<UserFact[]>;
  /** `null` if the user has no such fact. */
  get(userId: string, factId: string): Promise<UserFact | null>;
  /** `null` if the user has no such fact. */
  update(userId: string, factId: string, changes: FactChanges): Promise<UserFact | null>;
  /** Deletes a fact for good; what it had superseded counts again. */
  forget(userId: string, factId: string): Promise<ForgetReceipt>;
  /**
   * Deletes everything about the user: facts, index, vectors, audit, and what waits to be extracted. Writes that are under
   * way are refused. What remains names no user and holds no text.
   */
  forgetAll(userId: string): Promise<ForgetReceipt>;
  readonly review: FactReview;
  /** Why a query finds a fact, and where the fact comes from. `null` if the user has no such fact. */
  explain(userId: string, factId: string, query?: string): Promise<FactExplanation | null>;
  /** What was done to the user's facts, oldest first; no text. */
  audit(userId: string): Promise<AuditEntry[]>;
  /** Whether the audit trail is whole, and every fact is as the trail left it. */
  verifyAudit(userId: string): Promise<AuditReport>;
  /** Taken before a conversation is read: what is remembered `since` it is refused if everything was forgotten meanwhile. */
  mark(userId: string): Promise<ErasureMark>;
  /** What waits to be extracted. */
  readonly queue: ExtractionQueue;
  /** Waits until what this process is extracting is remembered. */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** Drains, then closes what the store itself opened. */
  close(): Promise<void>;
}

/** Whether it keeps trust, provenance and a queue, as the stores of this package do. */
export const isStore = (memory: UserMemory): memory is UserMemoryStore =>
  hasMethod(memory, "mark") && "queue" in memory && typeof memory.queue === "object";

export interface RememberOptions {
  readonly tags?: readonly string[] | undefined;
  /** Confidence in [0, 1]. It never outranks trust. */
  readonly score?: number | undefined;
  /** Default `"stated"`, of a quotation `"inferred"`: the application vouches that the user said so. `"external"` waits in quarantine. */
  readonly trust?: Trust | undefined;
  /** What the fact is about: it takes the place of the current fact with this key. */
  readonly key?: string | undefined;
  readonly provenance?: Provenance | undefined;
  /** Default: now. A date more than 150 years back or 50 ahead counts as absent. */
  readonly validFrom?: Date | undefined;
  /** Default: for good. A date outside the same span, or before `validFrom`, counts as absent. */
  readonly validUntil?: Date | undefined;
  /** Keeps the fact in quarantine, for this reason. Default: only where the rules ask for it. */
  readonly quarantine?: QuarantineReason | undefined;
  /**
   * The fact is the user's own words, as they stand in a message; then trust is `"inferred"`: they are shown as a quotation,
   * with their date, and never take the place of what was stated. `paraphrases` help to find it, and are shown to nobody.
   */
  readonly quotation?: (Quotation & { readonly paraphrases?: readonly string[] | undefined }) | undefined;
  /** See {@link UserMemoryStore.mark}. */
  readonly since?: ErasureMark | undefined;
}

export interface RecallOptions {
  /** How many facts at most. Default 10, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only facts with at least one of these. An empty list is no tag, so nothing is found. */
  readonly tags?: readonly string[] | undefined;
  /** What held at that time, superseded facts among it. Default: now. */
  readonly asOf?: Date | undefined;
  /** Leaves out what is trusted less. Default `"inferred"`. */
  readonly minTrust?: Trust | undefined;
}

export interface ListOptions {
  readonly tags?: readonly string[] | undefined;
  /** How many at most. Default: all. */
  readonly limit?: number | undefined;
  /** Default: only active ones. */
  readonly status?: FactStatus | readonly FactStatus[] | undefined;
}

/** What can be changed of a fact. `null` takes a value away. A changed `fact` is a new statement of the user's. */
export interface FactChanges {
  readonly fact?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly score?: number | null | undefined;
  readonly validUntil?: Date | null | undefined;
}

/** Facts that wait for somebody's decision. */
export interface FactReview {
  /** Newest first. */
  list(userId: string, opts?: Pick<ListOptions, "tags" | "limit">): Promise<UserFact[]>;
  /** Makes the fact active and `confirmed`; it takes the place of what it contradicts. `null`: no such fact waits. */
  approve(userId: string, factId: string): Promise<UserFact | null>;
  /** Forgets the fact, for good. `false`: no such fact waits. */
  reject(userId: string, factId: string): Promise<boolean>;
}

/** Which state of a user's memory somebody has seen: a write that carries it is refused once everything was forgotten. */
export type ErasureMark = number & { readonly __brand: "ErasureMark" };

/** What was deleted. It holds no text and names no user. */
export interface ForgetDetails {
  /** Random; for the application's records. */
  readonly receiptId: string;
  readonly at: Date;
  /** How many facts are gone, whatever their status; `0` if there was no such fact. */
  readonly facts: number;
  /** How many vectors went with them. */
  readonly vectors: number;
  /** How many extraction jobs are gone. */
  readonly jobs: number;
  /** How many older facts count again, because what had superseded them is gone. */
  readonly revived: number;
}

/** Also a `void`, so that a store with receipts is a `UserMemory` as documented. */
// biome-ignore lint/suspicious/noConfusingVoidType: the specification has these methods resolve with nothing
export type ForgetReceipt = ForgetDetails & void;

/** One thing that adds to a fact's score for a query. */
export interface RecallReason {
  readonly kind: /** Words of the query stand in the fact or in its evidence. */
    | "terms"
    /** Neighbouring messages fit. */
    | "neighbours"
    /** The conversation it was said in fits. */
    | "conversation"
    /** The query names who said it. */
    | "author"
    /** The query asks for the time it was said at, or for a time. */
    | "date"
    /** Its meaning is close to the query's, by `embed`. */
    | "meaning";
  /** How much of the score: of `"meaning"` the cosine similarity. */
  readonly score: number;
  /** For `"terms"`: the words, stemmed. */
  readonly terms?: readonly string[];
}

/** Why a fact is recalled, and where it comes from. */
export interface FactExplanation {
  readonly fact: UserFact;
  /** From 1, among all that the query finds; `null` if it doesn't find the fact, or no query was given. */
  readonly rank: number | null;
  /** Empty where `rank` is `null`. */
  readonly reasons: readonly RecallReason[];
  /** Whether it can be recalled at all, and if not, why not. */
  readonly recallable: boolean;
  readonly obstacle?: "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";
  /** The facts that it superseded, newest first. */
  readonly supersedes: readonly UserFact[];
}

/** A job of the queue: to extract the facts of one turn. */
export interface ExtractionJob {
  /** The same for the same turn, so that no turn has two jobs in the queue. */
  readonly id: string;
  readonly userId: string;
  /** What the user said, oldest first. */
  readonly said: readonly string[];
  /** What was replied: context, and never a source. */
  readonly reply: string;
  /** What the assistant had asked last before. */
  readonly question?: string | undefined;
  /** Whether the user's message before announced somebody else's text. */
  readonly isAnnounced?: boolean | undefined;
  /** All that the user said is quoted, and no model is asked. */
  readonly isVerbatim?: boolean | undefined;
  readonly conversationId?: string | undefined;
  /** Index of the first of `said` in its conversation, from 0. */
  readonly position?: number | undefined;
  /** When the turn began. */
  readonly saidAt: Date;
  readonly tags: readonly string[];
  /** The model that is to extract; absent: the agent's. */
  readonly model?: string | undefined;
  /** Facts with a lower score are dropped. */
  readonly threshold: number;
  /** Taken when the turn began. */
  readonly since: ErasureMark;
}

/** A job that is handed to one worker, until its lease is over. */
export interface LeasedJob {
  readonly job: ExtractionJob;
  /** How often it was handed out, from 1. */
  readonly attempt: number;
  /** Ends the lease: the job is done. */
  readonly complete: () => Promise<void>;
  /**
   * Ends the lease: the job is handed out again, not before `delayMs` have passed. Renews it where the caller goes on. Whole
   * milliseconds up to 30 days.
   */
  readonly release: (delayMs: number) => Promise<void>;
}

/**
 * Extraction jobs that wait. Where `durable` is true they outlive the process, and another one takes over the jobs that a
 * crash left. Delivered at least once: what is extracted twice is remembered once.
 */
export interface ExtractionQueue {
  readonly durable: boolean;
  /**
   * Adds a job and hands it to the caller at once, without the sentences that hold secrets. `null`: the job is in the queue
   * already, the user asked in it that something isn't kept, or the user's memory was erased since the turn began. `leaseMs`: whole milliseconds up to 30 days.
   */
  enqueue(job: ExtractionJob, options: { readonly leaseMs: number }): Promise<LeasedJob | null>;
  /** Hands out jobs that nobody works on, of any user, the oldest first. */
  lease(options: { readonly limit: number; readonly leaseMs: number }): Promise<LeasedJob[]>;
  /** How many jobs there are, handed out or not. */
  size(): Promise<number>;
}
