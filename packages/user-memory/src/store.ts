import type { AuditEntry, AuditReport } from "./audit.ts";
import type { FactStatus, Provenance, QuarantineReason, Quotation, Trust, UserFact } from "./fact.ts";
import type { RunUserMemory } from "./run-types.ts";
import { hasMethod, type UserMemory } from "./user-memory.ts";

/**
 * A {@link UserMemory} with provenance, trust, history and review. The stores of this package implement it. A fact of
 * another user is always treated like a fact that doesn't exist. Methods reject with `UserMemoryError`.
 *
 * - Each write is atomic, on every backend and with any number of processes.
 * - Facts that differ only in case, spaces and punctuation are stored as one fact. If the user later states or confirms
 *   the fact, its trust rises.
 * - A new fact replaces an older fact only if the new fact has at least as much trust. `"stated"` and `"confirmed"`
 *   count as equal. If the new fact has too little trust, it is quarantined as a conflict.
 * - A forgotten fact is deleted, together with its index terms and its vector. The audit trail never contains the text
 *   of a fact. A keyed hash of the fact remains, so that the fact isn't extracted again from older messages.
 */
export interface UserMemoryStore extends UserMemory, RunUserMemory {
  /**
   * Stores a fact about the user and returns the stored fact. If the returned `status` is `"quarantined"`, the fact
   * waits for review.
   */
  remember(userId: string, fact: string, opts?: RememberOptions): Promise<UserFact>;
  /**
   * Returns facts that match the query, best first. Facts match by their words and, if `embed` is set, by their
   * meaning. By default, leaves out external facts, facts that wait for review, and superseded facts that aren't
   * quotations.
   */
  recall(userId: string, query: string, opts?: RecallOptions): Promise<UserFact[]>;
  /** Returns the user's facts, newest first; by default only active facts. */
  list(userId: string, opts?: ListOptions): Promise<UserFact[]>;
  /** Returns a fact, or `null` if the user has no such fact. */
  get(userId: string, factId: string): Promise<UserFact | null>;
  /** Changes a fact and returns the changed fact. Returns `null` if the user has no such fact. */
  update(userId: string, factId: string, changes: FactChanges): Promise<UserFact | null>;
  /**
   * Deletes a fact for good, and all facts of the user with its text. Facts that the deleted fact superseded become
   * active again, unless another fact supersedes them. Returns how much was deleted. `facts` is 0 if the user has no
   * such fact.
   */
  forget(userId: string, factId: string): Promise<ForgetReceipt>;
  /**
   * Deletes everything about the user: facts, index, vectors, audit trail and extraction jobs. Writes that began before
   * this call are refused. Only counters and an audit entry about the erasure remain, under a hash of the user id.
   * Returns how much was deleted.
   */
  forgetAll(userId: string): Promise<ForgetReceipt>;
  /** Lists, approves and rejects the facts that wait for review. */
  readonly review: FactReview;
  /**
   * Explains where a fact comes from and whether it can be recalled. With `query`, explains why the query finds the
   * fact, or that it doesn't. Returns `null` if the user has no such fact.
   */
  explain(userId: string, factId: string, query?: string): Promise<FactExplanation | null>;
  /**
   * Returns the user's audit trail: an entry for each change of a fact, oldest first. Entries don't contain the text of
   * a fact.
   */
  audit(userId: string): Promise<AuditEntry[]>;
  /** Checks that the user's audit trail is complete and that every stored fact is as the audit trail recorded it. */
  verifyAudit(userId: string): Promise<AuditReport>;
  /**
   * Returns an erasure mark of the user's memory: the number of its erasures so far. Take the mark before you read a
   * conversation, and pass it to `remember` as `since`. If `forgetAll` erases the user's memory after the mark was
   * taken, the `remember` is refused.
   */
  mark(userId: string): Promise<ErasureMark>;
  /** The queue of extraction jobs. */
  readonly queue: ExtractionQueue;
  /**
   * Waits until the facts that this process is extracting are stored, but not longer than `timeoutMs` milliseconds.
   * Never rejects.
   */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /**
   * Waits until the facts that this process is extracting are stored, but at most 10 seconds. Then closes the
   * connections that the store itself opened.
   */
  close(): Promise<void>;
}

/** Whether a user memory is a store of this package. */
export const isStore = (memory: UserMemory): memory is UserMemoryStore =>
  hasMethod(memory, "mark") && "queue" in memory && typeof memory.queue === "object";

/** Options of `remember`. */
export interface RememberOptions {
  /** Labels of the fact, e.g. to recall only facts with a label. Labels are case-sensitive. */
  readonly tags?: readonly string[] | undefined;
  /** Confidence in the fact, from 0 to 1. A high score doesn't make up for low trust. */
  readonly score?: number | undefined;
  /**
   * Where the fact comes from. Default `"stated"`: your application vouches that the user stated the fact. With
   * `quotation`, the default is `"inferred"`. Facts with `"external"` wait for review.
   */
  readonly trust?: Trust | undefined;
  /** The topic of the fact, e.g. `"home-city"`. The fact replaces the user's current fact with this key. */
  readonly key?: string | undefined;
  /** The source of the fact, e.g. its conversation and author. */
  readonly provenance?: Provenance | undefined;
  /**
   * The fact is true from this time on. Default: `provenance.saidAt` or, if it isn't set, now. A date more than 150
   * years in the past or more than 50 years in the future is ignored.
   */
  readonly validFrom?: Date | undefined;
  /**
   * The fact is true until this time. Default: no end. The date is ignored if it isn't after `validFrom`, if it is more
   * than 150 years in the past, or if it is more than 50 years in the future.
   */
  readonly validUntil?: Date | undefined;
  /** Quarantines the fact for this reason. Default: the rules of the store decide whether the fact is quarantined. */
  readonly quarantine?: QuarantineReason | undefined;
  /**
   * Stores the fact as a quotation of the user, with trust `"inferred"`. Prompts show a quotation in quotation marks
   * with its date. A quotation never replaces a stated fact. `paraphrases` are a model's sentences with the meaning of
   * the quotation. Recall searches the paraphrases, but no prompt or result contains them.
   */
  readonly quotation?: (Quotation & { readonly paraphrases?: readonly string[] | undefined }) | undefined;
  /**
   * A mark that {@link UserMemoryStore.mark} returned. If the user's memory was erased after that call, the write is
   * refused.
   */
  readonly since?: ErasureMark | undefined;
}

/** Options of `recall`. */
export interface RecallOptions {
  /** Maximum number of recalled facts. Default 10, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only facts with at least one of these tags. An empty list finds nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Recalls the facts that were true at this time, including facts that were superseded later. Default: now. */
  readonly asOf?: Date | undefined;
  /** The least trust that recalled facts must have. Default `"inferred"`: external facts aren't recalled. */
  readonly minTrust?: Trust | undefined;
  /**
   * `true`: returns nothing if no fact has enough to do with the query. For queries that weren't written to search
   * facts, e.g. a user's message. Default `false`: one word in common is enough.
   */
  readonly relevantOnly?: boolean | undefined;
  /**
   * The texts of the conversation before the query, oldest first, e.g. for a follow-up such as `and the second one?`.
   * The words of the last two texts count half as much as those of the query. Meaning is compared with the query alone.
   * Default: none.
   */
  readonly context?: readonly string[] | undefined;
}

/** Options of `list`. */
export interface ListOptions {
  /** Only facts with at least one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Maximum number of listed facts. Default: all. */
  readonly limit?: number | undefined;
  /** Only facts with this status, or with one of these statuses. Default `"active"`. */
  readonly status?: FactStatus | readonly FactStatus[] | undefined;
}

/**
 * The fields of a fact that you can change. Absent fields stay as they are. `null` removes the value of `score` or
 * `validUntil`. A changed `fact` counts as a new statement of the user.
 */
export interface FactChanges {
  /** The new text of the fact. */
  readonly fact?: string | undefined;
  /** The new tags of the fact. They replace the old tags. */
  readonly tags?: readonly string[] | undefined;
  /** The new confidence in the fact, from 0 to 1. */
  readonly score?: number | null | undefined;
  /** The fact is true until this time. `null` removes the end. */
  readonly validUntil?: Date | null | undefined;
}

/** Lists, approves and rejects facts that wait for review. */
export interface FactReview {
  /** Returns the facts that wait for review, newest first. */
  list(userId: string, opts?: Pick<ListOptions, "tags" | "limit">): Promise<UserFact[]>;
  /**
   * Makes a fact active, with the trust `"confirmed"`, and returns it. The approved fact replaces the fact that it
   * contradicts, and the active fact with its key. Returns `null` if no fact with this id waits for review.
   */
  approve(userId: string, factId: string): Promise<UserFact | null>;
  /**
   * Deletes a fact that waits for review. The fact isn't stored again unless the user states or confirms it. Returns
   * `true` if the fact waited for review. Returns `false` if no fact with this id waits for review.
   */
  reject(userId: string, factId: string): Promise<boolean>;
}

/**
 * A mark of a user's memory: the number of erasures (calls of `forgetAll`) when {@link UserMemoryStore.mark} was
 * called. If a later `forgetAll` erases the user's memory, writes with this mark are refused.
 */
export type ErasureMark = number & { readonly __brand: "ErasureMark" };

/** How much a deletion removed, without text and user id. */
export interface ForgetDetails {
  /** A random id of the deletion, for your records. */
  readonly receiptId: string;
  /** The time of the deletion. */
  readonly at: Date;
  /** Number of deleted facts, with any status. 0 if the user had no fact to delete. */
  readonly facts: number;
  /** Number of deleted vectors. */
  readonly vectors: number;
  /** Number of deleted extraction jobs. */
  readonly jobs: number;
  /** Number of older facts that became active again, because the fact that superseded them was deleted. */
  readonly revived: number;
}

/**
 * The result of a deletion: how much it removed. The type includes `void`, because a `UserMemoryStore` must be
 * assignable to `UserMemory`, whose `forget` and `forgetAll` resolve with `void`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: the specification has these methods resolve with nothing
export type ForgetReceipt = ForgetDetails & void;

/** One reason why a query finds a fact. */
export interface RecallReason {
  /** What matches the query. */
  readonly kind: /** The fact or its evidence contains words of the query. */
    | "terms"
    /** Messages near the fact's message match the query. */
    | "neighbours"
    /** The conversation that the fact comes from matches the query. */
    | "conversation"
    /** The query names the author of the fact's message. */
    | "author"
    /** The query names the time of the fact, or asks for a time that the fact mentions. */
    | "date"
    /** The meaning of the fact is close to that of the query, according to `embed`. */
    | "meaning";
  /** How much this reason adds to the fact's score. For `"meaning"`: the cosine similarity of fact and query. */
  readonly score: number;
  /** For `"terms"`: the matching words of the query, as stems. */
  readonly terms?: readonly string[];
}

/** The result of `explain`: where a fact comes from, whether it can be recalled, and why a query finds it. */
export interface FactExplanation {
  /** The fact, with its provenance. */
  readonly fact: UserFact;
  /**
   * The rank of the fact among all facts that the query finds, from 1. `null` if the query doesn't find the fact, or if
   * no query was given.
   */
  readonly rank: number | null;
  /** The reasons why the query finds the fact. Empty if `rank` is `null`. */
  readonly reasons: readonly RecallReason[];
  /** Whether the fact can be recalled now, by a suitable query. */
  readonly recallable: boolean;
  /** Why the fact can't be recalled now. Absent if the fact can be recalled. */
  readonly obstacle?: "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";
  /** The facts that this fact superseded, newest first. */
  readonly supersedes: readonly UserFact[];
}

/** A job that extracts the facts of one turn: the texts of the turn, and how to extract facts from them. */
export interface ExtractionJob {
  /** The id of the job. A turn always gets the same id, so the queue never has two jobs for a turn. */
  readonly id: string;
  /** The id of the user. */
  readonly userId: string;
  /** The user's messages, oldest first. */
  readonly said: readonly string[];
  /** The assistant's reply. It is context, never a source of facts. */
  readonly reply: string;
  /** The last question that the assistant asked before the turn. */
  readonly question?: string | undefined;
  /** Whether the user's last message before the turn announced third-party text, e.g. `Translate this:`. */
  readonly isAnnounced?: boolean | undefined;
  /** If `true`, all of the user's words that can tell something about the user are quoted, without a model. */
  readonly isVerbatim?: boolean | undefined;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Position of the first message of `said` in its conversation, from 0. */
  readonly position?: number | undefined;
  /** When the turn began. */
  readonly saidAt: Date;
  /** The tags that all facts from this turn get. Empty: each fact gets the tags that the model proposed with it. */
  readonly tags: readonly string[];
  /** The model that proposes facts. Default: the agent's model. */
  readonly model?: string | undefined;
  /** Minimum score. Proposed facts with a lower score are dropped. */
  readonly threshold: number;
  /**
   * The mark of the user's memory from the start of the turn. If `forgetAll` runs later, no facts of the turn are
   * stored.
   */
  readonly since: ErasureMark;
}

/** An extraction job that one worker holds a lease for. No other worker gets the job before the lease expires. */
export interface LeasedJob {
  /** The leased job, with the turn to extract facts from. */
  readonly job: ExtractionJob;
  /** Number of times that the job was leased so far, from 1. */
  readonly attempt: number;
  /** Deletes the job. Call `complete` when the job is done. */
  readonly complete: () => Promise<void>;
  /**
   * Makes the job available to all workers after `delayMs` milliseconds (a whole number, at most 30 days). To renew its
   * lease, a worker passes the duration of the lease and continues with the job.
   */
  readonly release: (delayMs: number) => Promise<void>;
}

/**
 * A queue of extraction jobs. If `durable` is `true`, jobs survive a crash of the process, and another process takes
 * the jobs over. Each job is delivered at least once. If a job runs twice, its facts are stored once.
 */
export interface ExtractionQueue {
  /** Whether jobs survive the end of the process. */
  readonly durable: boolean;
  /**
   * Adds a job and leases it to the caller for `leaseMs` milliseconds (a whole number, at most 30 days). Sentences that
   * contain secrets are removed from the job. In three cases, doesn't add the job and returns `null`:
   *
   * - The job is in the queue already.
   * - The user asks in the job's messages not to keep something.
   * - The user's memory was erased after the turn began.
   */
  enqueue(job: ExtractionJob, options: { readonly leaseMs: number }): Promise<LeasedJob | null>;
  /**
   * Leases up to `limit` available jobs of any user for `leaseMs` milliseconds. Jobs that have waited longest come
   * first.
   */
  lease(options: { readonly limit: number; readonly leaseMs: number }): Promise<LeasedJob[]>;
  /** Returns the number of jobs in the queue, whether they are leased or not. */
  size(): Promise<number>;
}
